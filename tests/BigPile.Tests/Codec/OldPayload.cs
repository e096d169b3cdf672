using System;
using System.Collections.Generic;
using System.Text;

namespace BigPile.Tests.Codec;

/// <summary>Payloads as older versions wrote them, made by hand: a schema's definition, and content for it.</summary>
internal static class OldPayload
{
    /// <summary>A catalog that holds one definition: entries of type name, form, and pairs of member name and kind.</summary>
    public static FakeCatalog Catalog(params object[][] entries)
    {
        var catalog = new FakeCatalog();
        var bytes = new List<byte>();
        Pack(entries, bytes);
        catalog.GetOrAdd(bytes.ToArray());
        return catalog;
    }

    /// <summary>A payload of the catalog's first schema.</summary>
    public static byte[] Of(params ReadOnlySpan<byte> content) => [1, 0, 0, 0, .. content];

    /// <summary>The stored name of a type of the tests.</summary>
    public static string NameOf(Type type) => type.Assembly.GetName().Name + "/" + type.FullName;

    private static void Pack(object value, List<byte> bytes)
    {
        switch (value)
        {
            case object[] items:
                bytes.AddRange(items.Length < 16 ? [(byte)(0x90 | items.Length)] : [0xdc, (byte)(items.Length >> 8), (byte)items.Length]);
                foreach (object item in items)
                    Pack(item, bytes);
                break;
            case string text:
                bytes.AddRange([0xd9, (byte)Encoding.UTF8.GetByteCount(text), .. Encoding.UTF8.GetBytes(text)]);
                break;
            default:
                bytes.Add((byte)(int)value);
                break;
        }
    }
}
