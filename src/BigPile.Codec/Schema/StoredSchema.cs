using System;

namespace BigPile.Codec.Schema;

/// <summary>The kind of a stored member: a leaf's name, or else the index of an entry; either may be nullable.</summary>
internal readonly record struct StoredKind(string? Leaf, int Entry, bool IsNullable);

/// <summary>A member of a stored type.</summary>
internal readonly record struct StoredMember(string Name, StoredKind Kind);

/// <summary>A type as it was when its payloads were written.</summary>
internal sealed record StoredEntry(string Name, SchemaForm Form, StoredMember[] Members);

/// <summary>A parsed definition from the catalog. Its bytes may come from a damaged file.</summary>
internal sealed class StoredSchema
{
    private StoredSchema(StoredEntry[] entries) => Entries = entries;

    public StoredEntry[] Entries { get; }

    public static StoredSchema Parse(ReadOnlySpan<byte> definition)
    {
        var reader = new DefinitionReader(definition);
        var entries = new StoredEntry[reader.Array()];
        for (int i = 0; i < entries.Length; i++)
            entries[i] = ParseEntry(ref reader);
        if (entries.Length == 0 || !reader.IsAtEnd || !KindsExist(entries))
            DefinitionReader.Damaged();
        return new StoredSchema(entries);
    }

    private static bool KindsExist(StoredEntry[] entries) =>
        Array.TrueForAll(entries, entry => Array.TrueForAll(entry.Members, member => member.Kind.Entry < entries.Length));

    private static StoredEntry ParseEntry(ref DefinitionReader reader)
    {
        int count = reader.Array();
        if (count % 2 != 0 || count == 0)
            DefinitionReader.Damaged();
        string name = reader.Text();
        var form = (SchemaForm)reader.Number();
        var members = new StoredMember[count / 2 - 1];
        for (int i = 0; i < members.Length; i++)
            members[i] = new StoredMember(reader.Text(), ParseKind(ref reader));
        return new StoredEntry(name, form, members);
    }

    private static StoredKind ParseKind(ref DefinitionReader reader)
    {
        bool isNullable = reader.IsAtArray;
        if (isNullable && (reader.Array() != 2 || reader.Text() != "nullable"))
            DefinitionReader.Damaged();
        return reader.IsAtText ? new StoredKind(reader.Text(), -1, isNullable) : new StoredKind(null, reader.Number(), isNullable);
    }
}
