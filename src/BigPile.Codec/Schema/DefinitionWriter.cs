using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Schema;

/// <summary>A type with an entry of its own in schema definitions.</summary>
internal interface IDefined
{
    Type Type { get; }

    void Define(DefinitionWriter definition);
}

/// <summary>Writes the definition of a schema: an array of entries, the root's type first.</summary>
/// <remarks>
/// An entry is an array: the type's name, its form, and a name and a kind for each member. A kind is the name of a leaf, or the index of
/// the entry of the type that the member holds without a type id. So a definition holds everything that is needed to read its payloads.
/// </remarks>
internal sealed unsafe class DefinitionWriter
{
    private const int HeaderMaxBytes = 8;

    private readonly List<IDefined> _entries = [];
    private readonly Dictionary<IDefined, int> _indexes = new(ReferenceEqualityComparer.Instance);
    private readonly List<byte> _bytes = [];
    private readonly TypeRegistry _types;

    private DefinitionWriter(TypeRegistry types) => _types = types;

    /// <summary>The definition of a schema whose payloads are about to be stored.</summary>
    /// <exception cref="RefusedException">A later process could not read them.</exception>
    public static byte[] ToStore(IDefined root, TypeRegistry types)
    {
        byte[] definition = Of(root, types);
        // A reader finds only the root by its name; the other types follow from the declared types of its members.
        types.NameToStore(root.Type);
        return definition;
    }

    public static byte[] Of(IDefined root, TypeRegistry types)
    {
        var writer = new DefinitionWriter(types);
        writer.IndexOf(root);
        for (int i = 0; i < writer._entries.Count; i++)
            writer._entries[i].Define(writer);
        byte[] entries = [.. writer._bytes];
        writer._bytes.Clear();
        writer.Array(writer._entries.Count);
        byte[] definition = [.. writer._bytes, .. entries];
        Debug.Assert(StoredSchema.Parse(definition).Entries.Length == writer._entries.Count, "A reader finds all entries, and each whole.");
        return definition;
    }

    /// <summary>Starts an entry; its members follow, each as a name and a kind.</summary>
    public void Begin(Type type, SchemaForm form, int members)
    {
        Array(2 + 2 * members);
        Text(_types.NameOf(type));
        Append((byte)form);
    }

    public void Array(int count)
    {
        byte* header = stackalloc byte[HeaderMaxBytes];
        Append(header, Encode.ArrayHeader(header, count));
    }

    public void Text(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        byte* header = stackalloc byte[HeaderMaxBytes];
        Append(header, Encode.StringHeader(header, bytes.Length));
        _bytes.AddRange(bytes);
    }

    public void Entry(IDefined entry)
    {
        byte* number = stackalloc byte[HeaderMaxBytes];
        Append(number, Encode.Int32(number, IndexOf(entry)));
    }

    private int IndexOf(IDefined entry)
    {
        if (!_indexes.TryGetValue(entry, out int index))
        {
            index = _entries.Count;
            _indexes.Add(entry, index);
            _entries.Add(entry);
        }
        return index;
    }

    private void Append(byte value) => _bytes.Add(value);

    private void Append(byte* start, byte* end) => _bytes.AddRange(new ReadOnlySpan<byte>(start, (int)(end - start)));
}
