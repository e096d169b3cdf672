using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Security;

namespace BigPile.Http.Api;

/// <summary>What the holder of a key may do, so that a client offers nothing that would be refused.</summary>
/// <param name="Key">The key's name; left out when nobody is asked for one.</param>
/// <param name="Scopes">The scopes: read, write, admin.</param>
/// <param name="Tables">The tables that are reached: names in which <c>*</c> stands for any characters.</param>
/// <param name="AllTables">Whether these are all tables, also those that are yet to be made.</param>
/// <param name="Administration">Whether requests that need the scope admin are answered on this port.</param>
internal sealed record AccessReport(
    string? Key, IReadOnlyList<string> Scopes, IReadOnlyList<string> Tables, bool AllTables, bool Administration)
{
    private static readonly KeyScopes[] All = [KeyScopes.Read, KeyScopes.Write, KeyScopes.Admin];

    /// <summary>Describes what a request may do.</summary>
    /// <param name="key">The key that it came with; <see langword="null"/>: nobody is asked for one.</param>
    /// <param name="isAdministration">Whether administration is answered where it came to.</param>
    internal static AccessReport Of(HeldKey? key, bool isAdministration) => new(
        key?.Name,
        [.. All.Where(scope => key == null || key.Has(scope)).Select(static scope => scope.ToString().ToLowerInvariant())],
        key?.Tables ?? [TablePattern.All], key == null || key.ReachesAll(), isAdministration);
}
