namespace BigPile.Http.Security;

/// <summary>The access rules beside API keys.</summary>
/// <param name="AdminPort">The only port for requests that need the scope admin; <see langword="null"/>: any.</param>
/// <param name="Clients">Which hosts and origins are served while there are no keys; <see langword="null"/>: all.</param>
/// <param name="OpenPath">A path that needs no key to read, such as the metrics; <see langword="null"/>: none.</param>
/// <param name="VariesByOrigin">
/// Whether response headers depend on the request's origin, so that every response needs <c>Vary: Origin</c>.
/// </param>
internal sealed record AccessRules(int? AdminPort, ClientRules? Clients = null, string? OpenPath = null, bool VariesByOrigin = false);
