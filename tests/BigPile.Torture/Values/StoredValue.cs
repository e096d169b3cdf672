using System;
using System.Linq;
using System.Text;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Values;

/// <summary>Values as the pile takes and gives them.</summary>
internal static class StoredValue
{
    private const char OutsideAscii = 'é';

    internal static object Make(int id, in ObjectVersion version)
    {
        byte[] bytes = ValueBytes.Build(id, version);
        return version.Shape switch
        {
            Shape.Ascii => Encoding.ASCII.GetString(bytes),
            Shape.Utf8 => Encoding.ASCII.GetString(bytes) + OutsideAscii,
            Shape.Node => new TortureNode
            {
                Id = id,
                Revision = version.Revision,
                Next = PilePointer.FromUInt64(version.Next),
                Name = NameOf(id),
                Payload = bytes,
            },
            _ => bytes,
        };
    }

    /// <summary>Whether the pile gives exactly this value for the version's pointer.</summary>
    internal static bool IsStored(Pile pile, int id, in ObjectVersion version, out string difference) =>
        IsStored(pile, PilePointer.FromUInt64(version.Pointer), id, version, out difference);

    /// <summary>Whether the pile gives exactly this value for a pointer.</summary>
    internal static bool IsStored(Pile pile, PilePointer pointer, int id, in ObjectVersion version, out string difference)
    {
        if (TryGet(pile, pointer, out object? value, out difference))
            difference = Compare(Make(id, version), value!);
        return difference.Length == 0;
    }

    /// <summary>Reads a value; says why where that can't be done.</summary>
    internal static bool TryGet(Pile pile, PilePointer pointer, out object? value, out string difference)
    {
        value = null;
        try
        {
            difference = pile.TryGet(pointer, out value) ? "" : "it is not there";
        }
        catch (Exception e) when (e is PileException or ArgumentException or InvalidOperationException)
        {
            difference = $"{e.GetType().Name}: {e.Message}";
        }
        return difference.Length == 0;
    }

    /// <summary>Reads from a value what it is; of one that is shorter than a head or all zero, nothing.</summary>
    /// <returns>Whether it is exactly what was once made.</returns>
    internal static bool TryParse(object value, out int id, out ObjectVersion version)
    {
        byte[] bytes = value is TortureNode holder ? holder.Payload : BytesOf(value);
        bool isUtf8 = value is string text && text.EndsWith(OutsideAscii);
        int endBytes = isUtf8 ? Encoding.UTF8.GetByteCount([OutsideAscii]) : 0;
        bool isWhole = ValueBytes.TryParse(bytes.AsSpan(0, bytes.Length - endBytes), out id, out version);
        if (value is string)
        {
            isWhole &= version.Shape == Shape.Bytes;
            version.Shape = isUtf8 ? Shape.Utf8 : Shape.Ascii;
        }
        if (value is not TortureNode node)
            return isWhole;
        version.Shape = Shape.Node;
        version.Next = node.Next.ToUInt64();
        (id, version.Revision) = (node.Id, node.Revision);
        return node.Revision != 0 && Compare(Make(id, version), node).Length == 0;
    }

    /// <summary>Whether a value is too short to say what it is, or was never written to.</summary>
    internal static bool IsNameless(object value) =>
        value is not TortureNode && (BytesOf(value).Length < ValueBytes.HeadBytes + 2 || BytesOf(value).All(static item => item == 0));

    internal static string Describe(object value) =>
        value is TortureNode node ? $"node {node.Id} revision {node.Revision}" : ValueBytes.Describe(BytesOf(value));

    private static string NameOf(int id) => $"node {id}";

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
