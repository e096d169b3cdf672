using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Security;

namespace BigPile.Http.Api;

/// <summary>What a key allows, so that a client need not offer what would be refused.</summary>
/// <param name="Key">The key's name; omitted if the service has no keys.</param>
/// <param name="Scopes">The scopes: read, write, admin.</param>
/// <param name="Tables">The accessible tables; <c>*</c> in a name matches any characters.</param>
/// <param name="AllTables">Whether these are all tables, future ones included.</param>
/// <param name="Administration">Whether this port answers requests that need the scope admin.</param>
internal sealed record AccessReport(
    string? Key, IReadOnlyList<string> Scopes, IReadOnlyList<string> Tables, bool AllTables, bool Administration)
{
    private static readonly KeyScopes[] All = [KeyScopes.Read, KeyScopes.Write, KeyScopes.Admin];

    /// <summary>Describes the access of a request.</summary>
    /// <param name="key">The request's key; <see langword="null"/>: the service has no keys.</param>
    /// <param name="isAdministration">Whether the request's port answers administration.</param>
    internal static AccessReport Of(HeldKey? key, bool isAdministration) => new(
        key?.Name,
        [.. All.Where(scope => key == null || key.Has(scope)).Select(static scope => scope.ToString().ToLowerInvariant())],
        key?.Tables ?? [TablePattern.All], key == null || key.ReachesAll(), isAdministration);
}
