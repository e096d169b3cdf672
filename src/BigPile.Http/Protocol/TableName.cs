using System;
using System.Buffers;

namespace BigPile.Http.Protocol;

/// <summary>The names of tables that can be served: 1 to 128 letters, digits, dots, underscores and hyphens of ASCII.</summary>
/// <remarks><c>.</c> and <c>..</c> are no names: paths with them are folded by clients, proxies and servers.</remarks>
internal static class TableName
{
    /// <summary>The most characters of a name.</summary>
    internal const int MaxLength = 128;

    private static readonly SearchValues<char> Allowed =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

    /// <summary>Whether a text is a name.</summary>
    internal static bool IsValid(ReadOnlySpan<char> name) =>
        name.Length is > 0 and <= MaxLength && !name.ContainsAnyExcept(Allowed) && name is not ("." or "..");

    /// <summary>Reads a name from a request's target, where any of its characters may be percent-encoded.</summary>
    /// <param name="raw">The segment of the target.</param>
    /// <param name="buffer">Room for <see cref="MaxLength"/> characters.</param>
    /// <param name="name">The name, in the target or in the room.</param>
    /// <returns>Whether it is a name.</returns>
    internal static bool TryDecode(ReadOnlySpan<char> raw, Span<char> buffer, out ReadOnlySpan<char> name)
    {
        name = raw;
        if (raw.Contains('%'))
        {
            Span<byte> bytes = stackalloc byte[MaxLength];
            if (PercentCoding.Decode(raw, bytes, out int lengthBytes) != OperationStatus.Done)
                return false;
            for (int i = 0; i < lengthBytes; i++)
                buffer[i] = (char)bytes[i]; // what is not ASCII is no name either
            name = buffer[..lengthBytes];
        }
        return IsValid(name);
    }
}
