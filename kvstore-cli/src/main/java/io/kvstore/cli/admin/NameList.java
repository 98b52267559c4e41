package io.kvstore.cli.admin;

import io.kvstore.cli.rows.EntryFields;
import io.kvstore.cli.session.Session;
import java.util.List;

/** Names, one in a line. */
final class NameList {

    private NameList() {}

    /** @param field the name of a name in JSON */
    static void print(Session session, boolean isJson, String field, List<String> names) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            if (isJson) {
                EntryFields json = new EntryFields();
                json.text(field, name);
                text.append(json.end());
            } else {
                text.append(name);
            }
            text.append('\n');
        }
        session.console().print(text.toString());
    }
}
