using System;
using System.Buffers;
using System.Text;

namespace BigPile.Http.Security;

/// <summary>Parses credentials: <c>NAME.SECRET</c>, prefixed with <c>Bearer</c> in the header <c>Authorization</c>.</summary>
/// <remarks>The name is not secret: it selects the one hash that the secret is compared with.</remarks>
internal static class CredentialText
{
    internal const int MaxNameLength = 64;

    /// <summary>The maximum length of a credential, in bytes; a longer one is never valid.</summary>
    internal const int MaxBytes = 512;

    private static readonly SearchValues<char> NameCharacters =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

    private static ReadOnlySpan<byte> Scheme => "Bearer "u8;

    /// <summary>Whether a text is a valid key name.</summary>
    internal static bool IsName(ReadOnlySpan<char> name) =>
        name.Length is > 0 and <= MaxNameLength && !name.ContainsAnyExcept(NameCharacters);

    /// <summary>Strips the scheme from a header's value.</summary>
    /// <returns><see langword="false"/> for another scheme.</returns>
    internal static bool TryReadBearer(ReadOnlySpan<byte> authorization, out ReadOnlySpan<byte> credential)
    {
        credential = default;
        if (authorization.Length <= Scheme.Length || !Ascii.EqualsIgnoreCase(authorization[..Scheme.Length], Scheme))
            return false;
        credential = authorization[Scheme.Length..].Trim((byte)' ');
        return true;
    }

    /// <summary>The key name in a proved Authorization header; <see langword="null"/>: there is none.</summary>
    internal static string? NameOf(ReadOnlySpan<byte> authorization) =>
        TryReadBearer(authorization, out ReadOnlySpan<byte> credential)
        && TrySplit(credential, stackalloc char[MaxNameLength], out ReadOnlySpan<char> name, out _)
            ? name.ToString()
            : null;

    /// <summary>Splits a credential.</summary>
    /// <param name="credential">The credential's bytes.</param>
    /// <param name="buffer">A buffer of <see cref="MaxNameLength"/> characters.</param>
    /// <param name="name">The key's name.</param>
    /// <param name="secret">The secret.</param>
    internal static bool TrySplit(
        ReadOnlySpan<byte> credential, Span<char> buffer, out ReadOnlySpan<char> name, out ReadOnlySpan<byte> secret)
    {
        name = default;
        secret = default;
        int dot = credential.IndexOf((byte)'.');
        if (credential.Length > MaxBytes || dot is < 1 or > MaxNameLength)
            return false;
        if (Ascii.ToUtf16(credential[..dot], buffer, out int length) != OperationStatus.Done)
            return false;
        name = buffer[..length];
        secret = credential[(dot + 1)..];
        return !secret.IsEmpty;
    }
}
