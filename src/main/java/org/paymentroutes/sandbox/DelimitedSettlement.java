package org.paymentroutes.sandbox;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Settlement files of cells. */
final class DelimitedSettlement {

    private static final ZoneId CHINA = ZoneId.of("Asia/Shanghai");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
    private static final DateTimeFormatter CHINESE = DateTimeFormatter.ofPattern("uuuu年MM月dd日 HH:mm:ss");
    private static final String CNY = "CNY";

    private DelimitedSettlement() {
    }

    static String csv(SettlementContent content) {
        StringBuilder text = new StringBuilder("#period,").append(content.from()).append(',').append(content.to())
                .append("\nid,reference,kind,original,amount,currency,fee,net,booked_at\n");
        for (SettlementLine row : content.rows()) {
            text.append(String.join(",", row.id(), row.reference(), row.operation(), row.refundOf() == null ? "" : row.refundOf(),
                    String.valueOf(row.signed()), row.currency(), String.valueOf(row.fee()), String.valueOf(row.net()),
                    Instant.ofEpochMilli(row.bookedAt()).toString())).append('\n');
        }
        for (String currency : content.currencies()) {
            SettlementContent one = content.only(row -> row.currency().equals(currency));
            text.append("TOTAL,").append(one.counted().size()).append(",,,").append(one.sum(SettlementLine::signed)).append(',').append(currency)
                    .append(',').append(one.sum(SettlementLine::fee)).append(',').append(one.sum(SettlementLine::net)).append(',')
                    .append(content.to()).append('\n');
        }
        return text.append("#end,").append(content.counted().size()).append('\n').toString();
    }

    static String weChat(SettlementContent all) {
        SettlementContent content = all.only(row -> row.currency().equals(CNY) && (row.charge() || row.refund()));
        StringBuilder text = new StringBuilder("\uFEFF交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,"
                + "付款银行,货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,"
                + "手续费,费率,订单金额,申请退款金额,费率备注\r\n");
        for (SettlementLine row : content.rows()) {
            String amount = SettlementLine.decimal(row.amount(), CNY);
            boolean refund = row.refund();
            text.append('`').append(String.join(",`", time(row, CHINA), "wx0000000000000001", "1900000001", "0", "",
                    refund ? "of-" + row.refundOf() : row.id(), refund ? String.valueOf(row.refundOf()) : row.reference(), "o_sandbox", "JSAPI",
                    refund ? "REFUND" : "SUCCESS", "OTHERS", CNY, refund ? "0.00" : amount, "0.00", refund ? row.id() : "0",
                    refund ? row.reference() : "0", refund ? amount : "0.00", "0.00", refund ? "ORIGINAL" : "", refund ? "SUCCESS" : "",
                    "goods", "", SettlementLine.decimal(row.fee(), CNY, 5), "1.40%", refund ? "0.00" : amount, refund ? amount : "0.00", ""))
                    .append("\r\n");
        }
        String orders = SettlementLine.decimal(content.sum(row -> row.charge() ? row.amount() : 0), CNY);
        String refunds = SettlementLine.decimal(content.sum(row -> row.refund() ? row.amount() : 0), CNY);
        return text.append("总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额\r\n`")
                .append(String.join(",`", String.valueOf(content.counted().size()), orders, refunds, "0.00",
                        SettlementLine.decimal(content.sum(SettlementLine::fee), CNY, 5), orders, refunds)).append("\r\n").toString();
    }

    static String alipay(SettlementContent all) {
        SettlementContent content = all.only(row -> row.currency().equals(CNY) && (row.charge() || row.refund()));
        StringBuilder text = new StringBuilder("#支付宝业务明细查询\r\n#账号：[20880000000000000156]\r\n#起始日期：[").append(CHINESE.format(all.from().atZone(CHINA)))
                .append("]   终止日期：[").append(CHINESE.format(all.to().atZone(CHINA)))
                .append("]\r\n#-----------------------------------------业务明细列表----------------------------------------\r\n"
                        + "支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,门店名称,操作员,终端号,对方账户,订单金额（元）,商家实收（元）,"
                        + "支付宝红包（元）,集分宝（元）,支付宝优惠（元）,商家优惠（元）,券核销金额（元）,券名称,商家红包消费金额（元）,卡消费金额（元）,"
                        + "退款批次号/请求号,服务费（元）,分润（元）,备注\r\n");
        for (SettlementLine row : content.rows()) {
            String amount = SettlementLine.decimal(row.signed(), CNY);
            String time = time(row, CHINA);
            boolean refund = row.refund();
            text.append(String.join(",", (refund ? "of-" + row.refundOf() : row.id()) + "\t", (refund ? row.refundOf() : row.reference()) + "\t",
                    (refund ? "退款" : "交易") + "\t", "goods\t", time, time, "\t", "\t", "\t", "\t", "*某\t", amount, amount, "0.00", "0.00", "0.00",
                    "0.00", "0.00", "", "0.00\t", "0.00", (refund ? row.reference() : "") + "\t", SettlementLine.decimal(-row.fee(), CNY), "0.00", ""))
                    .append("\r\n");
        }
        return text.append("#-----------------------------------------业务明细列表结束------------------------------------\r\n#交易合计：")
                .append(content.sum(row -> row.charge() ? 1 : 0)).append("笔，商家实收共")
                .append(SettlementLine.decimal(content.sum(row -> row.charge() ? row.amount() : 0), CNY)).append("元，商家优惠共0.00元\r\n#退款合计：")
                .append(content.sum(row -> row.refund() ? 1 : 0)).append("笔，商家实收退款共")
                .append(SettlementLine.decimal(content.sum(row -> row.refund() ? -row.amount() : 0), CNY)).append("元，商家优惠退款共0.00元\r\n#导出时间：[")
                .append(CHINESE.format(all.to().atZone(CHINA))).append("]\r\n").toString();
    }

    static String stripe(SettlementContent content) {
        StringBuilder text = new StringBuilder("automatic_payout_id,automatic_payout_effective_at_utc,balance_transaction_id,created_utc,currency,"
                + "gross,fee,net,reporting_category,source_id,payment_intent_id,customer_facing_amount,customer_facing_currency,"
                + "payment_metadata[payment_id]\n");
        String effective = TIME.format(content.to().atZone(ZoneId.of("UTC")));
        for (SettlementLine row : content.rows()) {
            String amount = SettlementLine.decimal(row.signed(), row.currency());
            String currency = row.currency().toLowerCase(Locale.ROOT);
            text.append(String.join(",", payout(content, row.currency()), effective, "txn_" + row.id(), time(row, ZoneId.of("UTC")), currency, amount,
                    SettlementLine.decimal(row.fee(), row.currency()), SettlementLine.decimal(row.net(), row.currency()),
                    row.refund() ? "refund" : "charge", row.id(), row.refund() ? "" : row.id(), amount, currency,
                    row.refund() ? String.valueOf(row.refundOf()) : row.reference())).append('\n');
        }
        for (String currency : content.currencies()) {
            String total = SettlementLine.decimal(-content.only(row -> row.currency().equals(currency)).sum(SettlementLine::net), currency);
            String payout = payout(content, currency);
            text.append(String.join(",", payout, effective, "txn_" + payout, effective, currency.toLowerCase(Locale.ROOT), total,
                    SettlementLine.decimal(0, currency), total, "payout", payout, "", "", "", "")).append('\n');
        }
        return text.toString();
    }

    static String adyen(SettlementContent content) {
        StringBuilder text = new StringBuilder("Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,"
                + "Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),"
                + "Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant,"
                + "Modification Merchant Reference,Batch Number\n");
        for (SettlementLine row : content.rows()) {
            boolean refund = row.refund();
            text.append(String.join(",", "Sandbox", "SandboxShop", refund ? "of-" + row.refundOf() : row.id(),
                    refund ? String.valueOf(row.refundOf()) : row.reference(), "visa", time(row, ZoneId.of("UTC")), "UTC", refund ? "Refunded" : "Settled",
                    row.id(), row.currency(), side(-row.signed(), row.currency()), side(row.signed(), row.currency()), "1", row.currency(),
                    side(-row.net(), row.currency()), side(row.net(), row.currency()), SettlementLine.decimal(row.fee(), row.currency()), "", "", "",
                    "visa", refund ? row.reference() : "", payout(content, row.currency()))).append('\n');
        }
        for (String currency : content.currencies()) {
            long total = content.only(row -> row.currency().equals(currency)).sum(SettlementLine::net);
            text.append(String.join(",", "Sandbox", "SandboxShop", "", "payout", "", TIME.format(content.to().atZone(ZoneId.of("UTC"))), "UTC",
                    "MerchantPayout", "", currency, "", "", "", currency, total > 0 ? side(total, currency) : SettlementLine.decimal(0, currency),
                    side(-total, currency), "", "", "", "", "", "", payout(content, currency))).append('\n');
        }
        return text.toString();
    }

    private static String payout(SettlementContent content, String currency) {
        return "po_" + content.to().toEpochMilli() + "_" + content.number() + "_" + currency;
    }

    private static String side(long minor, String currency) {
        return minor > 0 ? SettlementLine.decimal(minor, currency) : "";
    }

    private static String time(SettlementLine row, ZoneId zone) {
        return TIME.format(Instant.ofEpochMilli(row.bookedAt()).atZone(zone));
    }
}
