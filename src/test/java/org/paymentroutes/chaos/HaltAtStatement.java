package org.paymentroutes.chaos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Watches every prepared statement at the moment it is sent and the moment its result is back. */
final class HaltAtStatement extends HikariDataSource {

    /** @param settings of the pool that this one stands for */
    HaltAtStatement(HikariConfig settings) {
        super(settings);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    Object result = call(connection, method, arguments);
                    return method.getName().equals("prepareStatement") ? watched((PreparedStatement) result, (String) arguments[0]) : result;
                });
    }

    private static PreparedStatement watched(PreparedStatement statement, String sql) {
        return (PreparedStatement) Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().startsWith("execute")) {
                        return call(statement, method, arguments);
                    }
                    Armed.statement(Failpoint.When.BEFORE, sql);
                    Object result = call(statement, method, arguments);
                    Armed.statement(Failpoint.When.AFTER, sql);
                    return result;
                });
    }

    private static Object call(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        }
        catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
