using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Security;

namespace BigPile.Server.Tests.Support;

/// <summary>API keys as settings of a server, with what clients send for them.</summary>
internal sealed class KeySettings
{
    private readonly Dictionary<string, string> _credentials = [];
    private readonly List<string> _arguments = [];

    /// <summary>The settings.</summary>
    internal string[] Arguments => [.. _arguments];

    /// <summary>What the holder of a key sends.</summary>
    internal string this[string name] => _credentials[name];

    /// <summary>Adds a key.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="scopes">What its holder may do.</param>
    /// <param name="tables">The tables that it reaches; none: all.</param>
    internal KeySettings With(string name, KeyScopes scopes, params string[] tables)
    {
        string at = $"--Security:Keys:{_credentials.Count}:";
        BigPileKey key = BigPileKey.Create(name, scopes, out string credential);
        _credentials[name] = credential;
        _arguments.AddRange([$"{at}Name={name}", $"{at}Hash={key.Hash}"]);
        _arguments.AddRange(scopes.ToString().ToLowerInvariant().Split(", ").Select((scope, place) => $"{at}Scopes:{place}={scope}"));
        _arguments.AddRange(tables.Select((table, place) => $"{at}Tables:{place}={table}"));
        return this;
    }
}
