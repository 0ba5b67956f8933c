package org.paymentroutes.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.flywaydb.core.Flyway;
import org.paymentroutes.embedded.EmbeddedDatabase;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A database of its own with the real schema, for one test class; all of them are on one real server for each JVM. */
public final class Database implements AutoCloseable {

    private static EmbeddedDatabase server;

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;
    private final NamedParameterJdbcTemplate named;
    private final TransactionTemplate transaction;

    private Database(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(1);
        pool = new HikariDataSource(config);
        jdbc = new JdbcTemplate(pool);
        named = new NamedParameterJdbcTemplate(jdbc);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
    }

    /** @return a new, migrated database */
    public static Database create() {
        return create(false);
    }

    /** @return a new, migrated database whose time a {@link TestClock} moves */
    public static Database createWithMovableClock() {
        return create(true);
    }

    private static synchronized Database create(boolean movable) {
        if (server == null) {
            server = EmbeddedDatabase.start(Path.of("target", "schema-database", "data"));
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        }
        String name = "schema_" + UUID.randomUUID().toString().replace("-", "");
        try (Database admin = new Database(server.url())) {
            admin.jdbc.execute("create database " + name);
        }
        // Nothing here survives the test, so that its commits need not wait for the disk.
        Database database = new Database(server.url().replace("/postgres?", "/" + name + "?") + "&options=-c%20synchronous_commit=off"
                + (movable ? "%20-c%20search_path=" + TestClock.SEARCH_PATH : ""));
        if (movable) {
            TestClock.install(database.jdbc);
        }
        Flyway.configure().dataSource(database.pool).locations("classpath:db/migration").load().migrate();
        return database;
    }

    /** @return plain SQL, each statement in a transaction of its own */
    public JdbcTemplate jdbc() {
        return jdbc;
    }

    /** @return SQL with named parameters */
    public NamedParameterJdbcTemplate named() {
        return named;
    }

    /** @return a transaction around several statements of this thread */
    public TransactionTemplate transaction() {
        return transaction;
    }

    /**
     * Runs a statement of the folder {@code sql} as it is; its camel-sql parameters become JDBC ones, named by the last
     * word of their expression.
     *
     * @return the rows that it returns
     */
    public List<Map<String, Object>> run(String statement, Map<String, ?> parameters) {
        return named.queryForList(jdbcText(statement), parameters);
    }

    /** @return the text of a statement of the folder {@code sql} with {@code :name} parameters */
    public static String jdbcText(String statement) {
        return NamedSql.load(statement).replaceAll(":\\?\\$\\{(?:[^}]*\\.)?(\\w+)}", ":$1").replaceAll(":\\?(\\w+)", ":$1");
    }

    /** Brings about what no statement can: runs without triggers and foreign keys. */
    public void withoutRules(Consumer<JdbcTemplate> work) {
        transaction.executeWithoutResult(status -> {
            jdbc.execute("set local session_replication_role = replica");
            work.accept(jdbc);
        });
    }

    @Override
    public void close() {
        pool.close();
    }
}
