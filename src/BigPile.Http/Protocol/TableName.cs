using System;
using System.Buffers;

namespace BigPile.Http.Protocol;

/// <summary>The names of tables that can be served: 1 to 128 letters, digits, dots, underscores and hyphens of ASCII.</summary>
/// <remarks><c>.</c> and <c>..</c> are excluded: clients, proxies and servers remove dot segments from paths.</remarks>
internal static class TableName
{
    /// <summary>The maximum length of a name.</summary>
    internal const int MaxLength = 128;

    private static readonly SearchValues<char> Allowed =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

    internal static bool IsValid(ReadOnlySpan<char> name) =>
        name.Length is > 0 and <= MaxLength && !name.ContainsAnyExcept(Allowed) && name is not ("." or "..");

    /// <summary>Decodes a name from a request target, where any character may be percent-encoded.</summary>
    /// <param name="raw">The segment of the target.</param>
    /// <param name="buffer">A buffer of <see cref="MaxLength"/> characters.</param>
    /// <param name="name">The name, in the target or in the buffer.</param>
    /// <returns>Whether it is a valid name.</returns>
    internal static bool TryDecode(ReadOnlySpan<char> raw, Span<char> buffer, out ReadOnlySpan<char> name)
    {
        name = raw;
        if (raw.Contains('%'))
        {
            Span<byte> bytes = stackalloc byte[MaxLength];
            if (PercentCoding.Decode(raw, bytes, out int lengthBytes) != OperationStatus.Done)
                return false;
            for (int i = 0; i < lengthBytes; i++)
                buffer[i] = (char)bytes[i]; // non-ASCII bytes stay above 0x7F and are refused below
            name = buffer[..lengthBytes];
        }
        return IsValid(name);
    }
}
