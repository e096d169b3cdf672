using System;
using System.Collections.Generic;

namespace BigPile.Http.Security;

/// <summary>A configured API key: everything but its secret, of which only a salted hash is kept.</summary>
/// <remarks>A client sends <c>Authorization: Bearer NAME.SECRET</c> or <c>X-Api-Key: NAME.SECRET</c>.</remarks>
public sealed record BigPileKey
{
    /// <summary>The name, the first part of the credential: 1 to 64 characters of A-Z, a-z, 0-9, '_' and '-'.</summary>
    public required string Name { get; init; }

    /// <summary>The secret's hash, as <see cref="Create"/> writes it: <c>sha256:SALT:HASH</c>.</summary>
    public required string Hash { get; init; }

    /// <summary>What the holder may do.</summary>
    public required KeyScopes Scopes { get; init; }

    /// <summary>The tables that the holder may access; <c>*</c> in a name matches any characters. All by default.</summary>
    public IReadOnlyList<string> Tables { get; init; } = ["*"];

    /// <summary>The sustained rate limit, in requests per second; <see langword="null"/>: none.</summary>
    public double? RequestsPerSecond { get; init; }

    /// <summary>The burst limit, in requests; by default the requests of one second, and at least one.</summary>
    public int? Burst { get; init; }

    /// <summary>
    /// How many existing tables the holder may have created: from 0; 1,000 by default; <see langword="null"/>: up to the pile's limit. The
    /// first put creates a table.
    /// </summary>
    public int? MaxTables { get; init; } = 1_000;

    /// <summary>Creates a key with a new random secret of 256 bits.</summary>
    /// <param name="name">The key's name.</param>
    /// <param name="scopes">What its holder may do.</param>
    /// <param name="credential">The credential that the client sends. It can't be retrieved again.</param>
    /// <exception cref="ArgumentException">The name or the scopes are invalid.</exception>
    public static BigPileKey Create(string name, KeyScopes scopes, out string credential)
    {
        string secret = SecretHash.NewSecret();
        var key = new BigPileKey { Name = name, Hash = SecretHash.Of(secret).ToString(), Scopes = scopes };
        key.Validate();
        credential = $"{name}.{secret}";
        return key;
    }

    /// <summary>Validates all members.</summary>
    /// <exception cref="ArgumentException">A member is invalid; the message names it.</exception>
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
