using System;
using System.Buffers;
using System.Text;

namespace BigPile.Http.Security;

/// <summary>
/// What a client sends to show that it holds a key: <c>NAME.SECRET</c>, with <c>Bearer</c> in front in the header <c>Authorization</c>.
/// </summary>
/// <remarks>The name is no secret: it finds the one hash that the secret is compared with.</remarks>
internal static class CredentialText
{
    internal const int MaxNameLength = 64;

    /// <summary>The most bytes of a credential; a longer one is nobody's.</summary>
    internal const int MaxBytes = 512;

    private static readonly SearchValues<char> NameCharacters =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

    private static ReadOnlySpan<byte> Scheme => "Bearer "u8;

    /// <summary>Whether a text is the name of a key.</summary>
    internal static bool IsName(ReadOnlySpan<char> name) =>
        name.Length is > 0 and <= MaxNameLength && !name.ContainsAnyExcept(NameCharacters);

    /// <summary>Takes the scheme off a header's value.</summary>
    /// <returns><see langword="false"/> when it is another scheme.</returns>
    internal static bool TryReadBearer(ReadOnlySpan<byte> authorization, out ReadOnlySpan<byte> credential)
    {
        credential = default;
        if (authorization.Length <= Scheme.Length || !Ascii.EqualsIgnoreCase(authorization[..Scheme.Length], Scheme))
            return false;
        credential = authorization[Scheme.Length..].Trim((byte)' ');
        return true;
    }

    /// <summary>The name of the key in a header's value that proved it; <see langword="null"/>: there is none.</summary>
    internal static string? NameOf(ReadOnlySpan<byte> authorization) =>
        TryReadBearer(authorization, out ReadOnlySpan<byte> credential)
        && TrySplit(credential, stackalloc char[MaxNameLength], out ReadOnlySpan<char> name, out _)
            ? name.ToString()
            : null;

    /// <summary>Splits a credential.</summary>
    /// <param name="credential">The bytes that came over the wire.</param>
    /// <param name="buffer">Room for <see cref="MaxNameLength"/> characters.</param>
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
