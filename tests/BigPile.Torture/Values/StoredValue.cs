using System;
using System.Text;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Values;

/// <summary>Values as the pile takes and gives them.</summary>
internal static class StoredValue
{
    private const char OutsideAscii = 'é';

    internal static object Make(int id, in ObjectVersion version)
    {
        byte[] bytes = ValueBytes.Build(id, version.Revision, version.PatchRevision, version.LengthBytes);
        return version.Shape switch
        {
            Shape.Bytes => bytes,
            Shape.Ascii => Encoding.ASCII.GetString(bytes),
            Shape.Utf8 => Encoding.ASCII.GetString(bytes) + OutsideAscii,
            _ => new TortureNode
            {
                Id = id,
                Revision = version.Revision,
                Next = PilePointer.FromUInt64(version.Next),
                Name = $"node {id}",
                Payload = bytes,
            },
        };
    }

    /// <summary>Whether the pile gives exactly this value for the version's pointer.</summary>
    internal static bool IsStored(Pile pile, int id, in ObjectVersion version, out string difference) =>
        IsStored(pile, PilePointer.FromUInt64(version.Pointer), id, version, out difference);

    /// <summary>Whether the pile gives exactly this value for a pointer.</summary>
    internal static bool IsStored(Pile pile, PilePointer pointer, int id, in ObjectVersion version, out string difference)
    {
        try
        {
            difference = pile.TryGet(pointer, out object? value) ? Compare(Make(id, version), value) : "it is not there";
        }
        catch (Exception e) when (e is PileException or ArgumentException or InvalidOperationException)
        {
            difference = $"{e.GetType().Name}: {e.Message}";
        }
        return difference.Length == 0;
    }

    private static string Compare(object expected, object stored)
    {
        if (expected.GetType() != stored.GetType())
            return $"{expected.GetType().Name} expected, {stored.GetType().Name} found";
        if (expected is not TortureNode node)
            return CompareBytes(BytesOf(expected), BytesOf(stored));
        var other = (TortureNode)stored;
        if ((node.Id, node.Revision, node.Next, node.Name) != (other.Id, other.Revision, other.Next, other.Name))
            return $"node {node.Id} revision {node.Revision} expected, node {other.Id} revision {other.Revision} found";
        return CompareBytes(node.Payload, other.Payload);
    }

    private static byte[] BytesOf(object value) => value as byte[] ?? Encoding.UTF8.GetBytes((string)value);

    private static string CompareBytes(byte[] expected, byte[] stored)
    {
        int common = expected.AsSpan().CommonPrefixLength(stored);
        return common == expected.Length && common == stored.Length
            ? ""
            : $"first difference at byte {common}; expected {ValueBytes.Describe(expected)}; found {ValueBytes.Describe(stored)}";
    }
}
