using System;
using System.Collections.Generic;

namespace BigPile.Http.Security;

/// <summary>An API key as it is configured: everything but its secret, of which only a salted hash is kept.</summary>
/// <remarks>A client sends <c>Authorization: Bearer NAME.SECRET</c> or <c>X-Api-Key: NAME.SECRET</c>.</remarks>
public sealed record BigPileKey
{
    /// <summary>The name, which is the first part of what a client sends: 1 to 64 characters of A-Z, a-z, 0-9, '_' and '-'.</summary>
    public required string Name { get; init; }

    /// <summary>The secret's hash, as <see cref="Create"/> writes it: <c>sha256:SALT:HASH</c>.</summary>
    public required string Hash { get; init; }

    /// <summary>What the holder may do.</summary>
    public required KeyScopes Scopes { get; init; }

    /// <summary>The tables that the holder reaches: names in which <c>*</c> stands for any characters. All by default.</summary>
    public IReadOnlyList<string> Tables { get; init; } = ["*"];

    /// <summary>How many requests a second the holder may make in the long run; <see langword="null"/> for any number.</summary>
    public double? RequestsPerSecond { get; init; }

    /// <summary>How many requests may come at once; the requests of a second by default, and at least one.</summary>
    public int? Burst { get; init; }

    /// <summary>
    /// How many tables the holder may make, of those that there are at once: from 0; 1,000 by default, and <see langword="null"/> for as
    /// many as there may be at all. Tables are made by the first put.
    /// </summary>
    public int? MaxTables { get; init; } = 1_000;

    /// <summary>Makes a key with a new random secret of 256 bits.</summary>
    /// <param name="name">The key's name.</param>
    /// <param name="scopes">What its holder may do.</param>
    /// <param name="credential">What the client must send. It can't be had again.</param>
    /// <exception cref="ArgumentException">The name or the scopes are not what they must be.</exception>
    public static BigPileKey Create(string name, KeyScopes scopes, out string credential)
    {
        string secret = SecretHash.NewSecret();
        var key = new BigPileKey { Name = name, Hash = SecretHash.Of(secret).ToString(), Scopes = scopes };
        key.Validate();
        credential = $"{name}.{secret}";
        return key;
    }

    /// <summary>Checks everything.</summary>
    /// <exception cref="ArgumentException">Something is not what it must be; the message names it.</exception>
    internal void Validate()
    {
        if (!CredentialText.IsName(Name))
            throw new ArgumentException($"The key's name is '{Name}'; it must be 1 to 64 characters of A-Z, a-z, 0-9, '_' and '-'.");
        if (!SecretHash.TryParse(Hash, out _))
            throw new ArgumentException($"The hash of the key '{Name}' is not one; let the verb 'key' make it: sha256:SALT:HASH.");
        if (Scopes == KeyScopes.None || (Scopes & ~(KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin)) != 0)
            throw new ArgumentException($"The key '{Name}' has no scopes; give it some of read, write and admin.");
        if (Tables.Count == 0)
            throw new ArgumentException($"The key '{Name}' reaches no table; name some, as in 'orders-*', or leave the list out.");
        foreach (string pattern in Tables)
        {
            if (!TablePattern.IsValid(pattern))
                throw new ArgumentException(
                    $"The key '{Name}' has the table pattern '{pattern}'; one is a table's name in which '*' stands for any characters.");
        }
        if (MaxTables < 0)
            throw new ArgumentException($"The key '{Name}' may make {MaxTables} tables; that must be from 0, or left out.");
        if (RequestsPerSecond is { } rate && !(rate is >= RequestRate.Lowest and <= RequestRate.Highest))
        {
            throw new ArgumentException(
                $"The key '{Name}' may make {rate} requests a second; that must be from {RequestRate.Lowest} to "
                + $"{RequestRate.Highest:N0}, or left out.");
        }
        if (Burst is < 1 or > RequestRate.HighestBurst)
            throw new ArgumentException(
                $"The key '{Name}' has a burst of {Burst}; it must be from 1 to {RequestRate.HighestBurst:N0}, or left out.");
        if (Burst != null && RequestsPerSecond == null)
            throw new ArgumentException($"The key '{Name}' has a burst and no requests a second; set RequestsPerSecond too.");
    }
}
