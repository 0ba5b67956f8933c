package org.paymentroutes.flow;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Which package may know which, and what nobody uses near money. */
@AnalyzeClasses(packages = "org.paymentroutes", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    private static final String SANDBOX = "org.paymentroutes.sandbox..";

    @ArchTest
    static final ArchRule theSandboxIsAWitnessThatKnowsNothingOfUs = classes().that().resideInAPackage(SANDBOX)
            .should().onlyDependOnClassesThat(DescribedPredicate.describe("are of the sandbox or of nobody of ours",
                    (JavaClass used) -> !used.getPackageName().startsWith("org.paymentroutes")
                            || used.getPackageName().startsWith("org.paymentroutes.sandbox")));

    @ArchTest
    static final ArchRule nobodyDependsOnTheSandboxButTheDemo = noClasses().that()
            .resideOutsideOfPackages(SANDBOX, "org.paymentroutes.demo..")
            .and().doNotHaveFullyQualifiedName("org.paymentroutes.PaymentRoutesApplication")
            .should().dependOnClassesThat().resideInAPackage(SANDBOX);

    @ArchTest
    static final ArchRule paymentsAndProvidersKnowNothingOfTheWeb = noClasses().that()
            .resideInAnyPackage("org.paymentroutes.payment..", "org.paymentroutes.provider..", "org.paymentroutes.ledger..")
            .should().dependOnClassesThat().resideInAnyPackage("org.springframework.web..", "jakarta.servlet..",
                    "org.paymentroutes.api..", "org.paymentroutes.security..");

    @ArchTest
    static final ArchRule noDateOfTheOldKind = noClasses().should().dependOnClassesThat()
            .haveNameMatching("java\\.util\\.(Date|Calendar|GregorianCalendar)|java\\.text\\.(Simple)?DateFormat");

    @ArchTest
    static final ArchRule noFloatingPointField = noFields().that().areDeclaredInClassesThat()
            .resideInAnyPackage("org.paymentroutes.payment..", "org.paymentroutes.ledger..", "org.paymentroutes.sandbox..")
            .should().haveRawType(DescribedPredicate.describe("a floating-point type", PackagesTest::floating));

    @ArchTest
    static final ArchRule noMethodReturnsFloatingPoint = noMethods().that().areDeclaredInClassesThat()
            .resideInAnyPackage("org.paymentroutes.payment..", "org.paymentroutes.ledger..", "org.paymentroutes.sandbox..")
            .should().haveRawReturnType(DescribedPredicate.describe("a floating-point type", PackagesTest::floating));

    @ArchTest
    static final ArchRule nobodyReadsANumberOfJsonAsDouble = noClasses().should()
            .callMethod("com.fasterxml.jackson.databind.JsonNode", "doubleValue")
            .orShould().callMethod("com.fasterxml.jackson.databind.JsonNode", "asDouble")
            .orShould().callMethod("java.lang.Double", "parseDouble", "java.lang.String");

    @ArchTest
    static final ArchRule onlyAMainProgramEndsTheProcess = noClasses().that().resideOutsideOfPackage("org.paymentroutes.demo..")
            .and().haveSimpleNameNotEndingWith("Application")
            .should().callMethod(System.class, "exit", int.class)
            .orShould().callMethod(org.springframework.boot.SpringApplication.class, "exit",
                    org.springframework.context.ApplicationContext.class, org.springframework.boot.ExitCodeGenerator[].class);

    private static boolean floating(JavaClass type) {
        return type.getName().matches("double|float|java\\.lang\\.(Double|Float)");
    }
}
