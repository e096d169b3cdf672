using System;

namespace BigPile.Http.Protocol;

/// <summary>Evaluates <c>Accept-Encoding</c> (RFC 9110, 12.5.3) for one stored coding.</summary>
/// <remarks>
/// Without the header a payload is decompressed. The standard lets the service choose; but clients that can decode a coding say so.
/// </remarks>
internal static class AcceptEncoding
{
    private const int Unset = -1;

    /// <summary>Chooses the form of a payload.</summary>
    /// <param name="header">The header's value in ASCII, several lines joined by commas; empty if absent.</param>
    /// <param name="stored">How the payload is stored.</param>
    internal static PayloadForm Choose(ReadOnlySpan<byte> header, ContentCoding stored)
    {
        if (header.IsEmpty)
            return stored == ContentCoding.Identity ? PayloadForm.AsStored : PayloadForm.Decoded;
        int own = Unset;
        int identity = Unset;
        int any = Unset;
        while (!header.IsEmpty)
        {
            ReadOnlySpan<byte> item = TakeItem(ref header);
            ReadOnlySpan<byte> name = TakeName(ref item);
            int weight = WeightOf(item);
            if (name.SequenceEqual("*"u8))
                any = weight;
            else if (Is(name, ContentCoding.Identity))
                identity = weight;
            else if (Is(name, stored))
                own = weight;
        }
        // Identity is acceptable unless it is refused explicitly; another coding only if it is listed.
        bool mayDecode = identity == Unset ? any != 0 : identity != 0;
        if (stored == ContentCoding.Identity)
            return mayDecode ? PayloadForm.AsStored : PayloadForm.None;
        if (own == Unset)
            own = any;
        if (own > 0 && own >= identity)
            return PayloadForm.AsStored;
        return mayDecode ? PayloadForm.Decoded : PayloadForm.None;
    }

    private static bool Is(ReadOnlySpan<byte> name, ContentCoding coding) => coding switch
    {
        ContentCoding.Gzip => EqualsIgnoreCase(name, "gzip"u8) || EqualsIgnoreCase(name, "x-gzip"u8),
        ContentCoding.Brotli => EqualsIgnoreCase(name, "br"u8),
        ContentCoding.Deflate => EqualsIgnoreCase(name, "deflate"u8),
        _ => EqualsIgnoreCase(name, "identity"u8),
    };

    private static bool EqualsIgnoreCase(ReadOnlySpan<byte> name, ReadOnlySpan<byte> known) =>
        System.Text.Ascii.EqualsIgnoreCase(name, known);

    private static ReadOnlySpan<byte> TakeItem(ref ReadOnlySpan<byte> header)
    {
        int comma = header.IndexOf((byte)',');
        ReadOnlySpan<byte> item = comma < 0 ? header : header[..comma];
        header = comma < 0 ? default : header[(comma + 1)..];
        return item.Trim(" \t"u8);
    }

    private static ReadOnlySpan<byte> TakeName(ref ReadOnlySpan<byte> item)
    {
        int semicolon = item.IndexOf((byte)';');
        ReadOnlySpan<byte> name = semicolon < 0 ? item : item[..semicolon];
        item = semicolon < 0 ? default : item[(semicolon + 1)..].Trim(" \t"u8);
        return name.TrimEnd(" \t"u8);
    }

    /// <summary>A weight in thousandths: <c>q=0.5</c> is 500. An invalid one counts as 1,000.</summary>
    private static int WeightOf(ReadOnlySpan<byte> parameters)
    {
        const int Whole = 1000;
        if (parameters.Length < 3 || (parameters[0] | 0x20) != 'q' || parameters[1] != '=')
            return Whole;
        ReadOnlySpan<byte> number = parameters[2..].TrimStart(" \t"u8);
        if (number.IsEmpty || number[0] != '0')
            return Whole;
        int weight = 0;
        int scale = 100;
        for (int i = 2; i < number.Length && scale > 0 && number[i] is >= (byte)'0' and <= (byte)'9'; i++, scale /= 10)
            weight += (number[i] - '0') * scale;
        return weight;
    }
}

/// <summary>The form in which a client gets a payload.</summary>
internal enum PayloadForm
{
    /// <summary>Byte for byte as it is stored.</summary>
    AsStored,

    /// <summary>Stored compressed, sent decompressed.</summary>
    Decoded,

    /// <summary>The client accepts neither.</summary>
    None,
}
