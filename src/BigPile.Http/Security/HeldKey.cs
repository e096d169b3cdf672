using System;
using System.Collections.Generic;
using System.IO.Enumeration;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;
using BigPile.AspNetCore.Tables;
using BigPile.Http.Protocol;

namespace BigPile.Http.Security;

/// <summary>An API key in use, with its rate limiter and the cached proof.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class HeldKey : ITableCreator
{
    private readonly BigPileKey _key;
    private readonly SecretHash _hash;
    private readonly string[] _tables;
    private readonly RequestRate? _rate;
    private readonly CancellationTokenSource _gone = new();
    private byte[]? _proven;

    /// <exception cref="ArgumentException">The key is invalid.</exception>
    internal HeldKey(BigPileKey key, TimeProvider time)
    {
        key.Validate();
        _key = key;
        _tables = [.. key.Tables];
        _hash = SecretHash.TryParse(key.Hash, out SecretHash? hash) ? hash : SecretHash.Nobodys;
        if (key.RequestsPerSecond is { } requests)
            _rate = new RequestRate(requests, key.Burst ?? (int)Math.Clamp(requests, 1, RequestRate.HighestBurst), time);
    }

    /// <inheritdoc/>
    public string Name => _key.Name;

    /// <summary>What the holder may do.</summary>
    internal KeyScopes Scopes => _key.Scopes;

    /// <summary>The tables that the key may access; <c>*</c> in a name matches any characters.</summary>
    internal IReadOnlyList<string> Tables => _tables;

    /// <inheritdoc/>
    public int? MaxTables => _key.MaxTables;

    /// <summary>Is canceled when the key is replaced or removed.</summary>
    internal CancellationToken Gone => _gone.Token;

    /// <summary>Ends the key's long-running requests.</summary>
    internal void Revoke() => _gone.Cancel();

    internal bool IsLimited => _rate != null;

    /// <summary>Whether a secret belongs to the key.</summary>
    /// <remarks>
    /// The last valid secret is cached, one per key, so the next request costs a comparison and no hash. Both comparisons are
    /// constant-time.
    /// </remarks>
    internal bool IsProvedBy(ReadOnlySpan<byte> secret)
    {
        if (Volatile.Read(ref _proven) is { } proven && CryptographicOperations.FixedTimeEquals(proven, secret))
            return true;
        if (!_hash.Matches(secret))
            return false;
        Volatile.Write(ref _proven, secret.ToArray());
        return true;
    }

    /// <summary>Whether another configuration of the key is equal.</summary>
    internal bool IsAs(BigPileKey other) => other with { Tables = _key.Tables } == _key && other.Tables.SequenceEqual(_key.Tables);

    internal bool Has(KeyScopes scope) => (_key.Scopes & scope) == scope;

    /// <summary>Whether the key may access a table.</summary>
    internal bool Reaches(ReadOnlySpan<char> table)
    {
        foreach (string pattern in _tables)
        {
            if (TablePattern.Matches(pattern, table))
                return true;
        }
        return false;
    }

    /// <summary>Whether the key may access all tables, future ones included.</summary>
    internal bool ReachesAll() => Array.IndexOf(_tables, TablePattern.All) >= 0;

    /// <summary>Takes a rate-limit permit for one request.</summary>
    /// <param name="wait">The time until the next permit, if there is none now.</param>
    internal bool TryTakePermit(out TimeSpan wait)
    {
        wait = TimeSpan.Zero;
        return _rate == null || _rate.TryTake(out wait);
    }
}

/// <summary>Table names in which <c>*</c> matches any characters.</summary>
internal static class TablePattern
{
    /// <summary>The pattern of all tables.</summary>
    internal const string All = "*";

    internal static bool IsValid(string pattern) => pattern == All || TableName.IsValid(pattern.Replace('*', 'x'));

    internal static bool Matches(string pattern, ReadOnlySpan<char> table) =>
        FileSystemName.MatchesSimpleExpression(pattern, table, ignoreCase: false);
}
