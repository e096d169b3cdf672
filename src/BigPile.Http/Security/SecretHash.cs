using System;
using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace BigPile.Http.Security;

/// <summary>The salted SHA-256 of a secret, written as <c>sha256:SALT:HASH</c> in base64url.</summary>
/// <remarks>
/// One round is enough: a secret is 256 random bits, so a slow hash would protect nothing. Thread safety: all members may be called
/// concurrently.
/// </remarks>
internal sealed class SecretHash
{
    private const string Algorithm = "sha256";
    private const int SaltBytes = 16;
    private const int SecretBytes = 32;

    private readonly byte[] _salt;
    private readonly byte[] _hash;

    private SecretHash(byte[] salt, byte[] hash)
    {
        _salt = salt;
        _hash = hash;
    }

    /// <summary>The hash of a random secret that was discarded.</summary>
    internal static SecretHash Nobodys { get; } = Of(NewSecret());

    internal static string NewSecret() => Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(SecretBytes));

    /// <summary>Hashes a secret with a new salt.</summary>
    internal static SecretHash Of(string secret)
    {
        byte[] salt = RandomNumberGenerator.GetBytes(SaltBytes);
        var hash = new byte[SHA256.HashSizeInBytes];
        Compute(salt, Encoding.ASCII.GetBytes(secret), hash);
        return new SecretHash(salt, hash);
    }

    internal static bool TryParse(string text, [NotNullWhen(true)] out SecretHash? parsed)
    {
        parsed = null;
        string[] parts = text.Split(':');
        if (parts is not [Algorithm, var saltText, var hashText] || !TryDecode(saltText, out byte[] salt)
            || !TryDecode(hashText, out byte[] hash))
            return false;
        if (salt.Length is < 8 or > 64 || hash.Length != SHA256.HashSizeInBytes)
            return false;
        parsed = new SecretHash(salt, hash);
        return true;
    }

    /// <summary>Whether a secret is the hashed one; a constant-time comparison.</summary>
    internal bool Matches(ReadOnlySpan<byte> secret)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        Compute(_salt, secret, hash);
        return CryptographicOperations.FixedTimeEquals(hash, _hash);
    }

    public override string ToString() => $"{Algorithm}:{Base64Url.EncodeToString(_salt)}:{Base64Url.EncodeToString(_hash)}";

    private static void Compute(ReadOnlySpan<byte> salt, ReadOnlySpan<byte> secret, Span<byte> hash)
    {
        Span<byte> both = stackalloc byte[64 + CredentialText.MaxBytes];
        salt.CopyTo(both);
        secret.CopyTo(both[salt.Length..]);
        SHA256.HashData(both[..(salt.Length + secret.Length)], hash);
    }

    private static bool TryDecode(string text, out byte[] bytes)
    {
        bytes = [];
        if (!Base64Url.IsValid(text))
            return false;
        bytes = Base64Url.DecodeFromChars(text);
        return true;
    }
}
