package io.kvstore.sealed.format;

import io.kvstore.bytes.ByteReader;
import io.kvstore.bytes.ByteWriter;
import io.kvstore.engine.TableFileInfo;
import java.util.Map;
import java.util.TreeMap;

/** The properties of a sealed file: what {@link TableFileInfo} says, but for id, length and layout. */
public final class FileProperties {

    private FileProperties() {}

    public static byte[] write(TableFileInfo info) {
        ByteWriter out = new ByteWriter();
        out.varint(info.entries()).varint(info.keyBytes()).varint(info.valueBytes());
        out.varint(info.longestKeyBytes()).varint(info.longestValueBytes());
        out.sized(info.firstKey()).sized(info.lastKey());
        out.text(info.codec()).text(info.writer());
        Map<String, String> texts = new TreeMap<>(info.texts());
        out.varint(texts.size());
        texts.forEach((name, text) -> out.text(name).text(text));
        return out.toArray();
    }

    /** Reads properties whose checksum was right. */
    public static TableFileInfo read(ByteReader in, FileIdentity identity, long fileBytes) {
        long entries = in.varint();
        long keyBytes = in.varint();
        long valueBytes = in.varint();
        long longestKeyBytes = in.varint();
        long longestValueBytes = in.varint();
        byte[] firstKey = in.sized();
        byte[] lastKey = in.sized();
        String codec = in.text();
        String writer = in.text();
        Map<String, String> texts = new TreeMap<>();
        int count = in.count();
        for (int i = 0; i < count; i++) {
            texts.put(in.text(), in.text());
        }
        in.end();
        return new TableFileInfo(
                identity.text(),
                entries,
                fileBytes,
                keyBytes,
                valueBytes,
                firstKey,
                lastKey,
                (int) longestKeyBytes,
                (int) longestValueBytes,
                identity.layout().name(),
                codec,
                writer,
                texts);
    }
}
