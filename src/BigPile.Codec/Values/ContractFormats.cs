using System;
using System.Buffers.Text;
using System.Diagnostics;
using System.Globalization;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>A decimal in MessagePack-CSharp's format: text.</summary>
internal readonly unsafe struct DecimalTextFormat : ILeafFormat<decimal>
{
    public static byte* Write(byte* p, decimal value)
    {
        Span<byte> text = stackalloc byte[64];
        bool isWritten = value.TryFormat(text, out int length, provider: CultureInfo.InvariantCulture);
        Debug.Assert(isWritten, "The longest decimal fits.");
        return ContractText.Write(p, text[..length]);
    }

    public static byte* Read(byte* p, ref decimal field, ReadContext c)
    {
        p = ContractText.Read(p, out ReadOnlySpan<byte> text, c);
        if (!decimal.TryParse(text, NumberStyles.Number, CultureInfo.InvariantCulture, out field))
            BadData.OutOfRange("decimal");
        return p;
    }
}

/// <summary>A GUID in MessagePack-CSharp's format: text of 36 characters.</summary>
internal readonly unsafe struct GuidTextFormat : ILeafFormat<Guid>
{
    public static byte* Write(byte* p, Guid value)
    {
        Span<byte> text = stackalloc byte[36];
        bool isWritten = value.TryFormat(text, out int length);
        Debug.Assert(isWritten && length == text.Length, "A GUID's text is always as long.");
        return ContractText.Write(p, text[..length]);
    }

    public static byte* Read(byte* p, ref Guid field, ReadContext c)
    {
        p = ContractText.Read(p, out ReadOnlySpan<byte> text, c);
        if (!Utf8Parser.TryParse(text, out field, out int used) || used != text.Length)
            BadData.Invalid("text is no GUID");
        return p;
    }
}

/// <summary>A <c>DateTime</c> in MessagePack-CSharp's format: always a timestamp, so it always comes back as UTC.</summary>
internal readonly unsafe struct TimestampFormat : ILeafFormat<DateTime>
{
    public static byte* Write(byte* p, DateTime value) =>
        Timestamp.Write(p, value.Kind == DateTimeKind.Local ? value.ToUniversalTime().Ticks : value.Ticks);

    public static byte* Read(byte* p, ref DateTime field, ReadContext c) => Timestamp.ReadUtc(p, ref field);
}

/// <summary>A <c>Half</c> in MessagePack-CSharp's format: a float.</summary>
internal readonly unsafe struct HalfFloatFormat : ILeafFormat<Half>
{
    public static byte* Write(byte* p, Half value) => Encode.Single(p, (float)value);

    public static byte* Read(byte* p, ref Half field, ReadContext c)
    {
        float value = 0;
        p = Decode.Single(p, ref value);
        field = (Half)value;
        return p;
    }
}

/// <summary>Writes and reads short ASCII text.</summary>
internal static unsafe class ContractText
{
    public static byte* Write(byte* p, ReadOnlySpan<byte> text)
    {
        p = Encode.StringHeader(p, text.Length);
        text.CopyTo(new Span<byte>(p, text.Length));
        return p + text.Length;
    }

    public static byte* Read(byte* p, out ReadOnlySpan<byte> text, ReadContext c)
    {
        p = c.StringHeader(p, out int length);
        Debug.Assert(p + length <= c.End, "The header's length was checked against the payload's end.");
        text = new ReadOnlySpan<byte>(p, length);
        return p + length;
    }
}
