using System;

namespace BigPile.Http.Protocol;

/// <summary>The coding of a stored payload (RFC 9110, 8.4.1). The numbers are stored: they never change.</summary>
internal enum ContentCoding : byte
{
    Identity = 0,
    Gzip = 1,
    Brotli = 2,
    Deflate = 3,
}

/// <summary>The names of content codings in HTTP.</summary>
internal static class ContentCodings
{
    private static readonly string[] ByNumber = ["identity", "gzip", "br", "deflate"];

    internal static bool IsKnown(byte number) => number < ByNumber.Length;

    internal static string NameOf(ContentCoding coding) => ByNumber[(int)coding];

    internal static ReadOnlySpan<byte> Utf8NameOf(ContentCoding coding) => coding switch
    {
        ContentCoding.Gzip => "gzip"u8,
        ContentCoding.Brotli => "br"u8,
        ContentCoding.Deflate => "deflate"u8,
        _ => "identity"u8,
    };

    /// <summary>Finds a coding by name, ignoring case; <c>x-gzip</c> is an alias of <c>gzip</c>.</summary>
    internal static bool TryFind(ReadOnlySpan<char> name, out ContentCoding coding)
    {
        if (name.Equals("x-gzip", StringComparison.OrdinalIgnoreCase))
            name = "gzip";
        for (int number = 0; number < ByNumber.Length; number++)
        {
            coding = (ContentCoding)number;
            if (name.Equals(ByNumber[number], StringComparison.OrdinalIgnoreCase))
                return true;
        }
        coding = default;
        return false;
    }
}
