namespace BigPile.Http.Security;

/// <summary>What is asked of requests beside keys.</summary>
/// <param name="AdminPort">The one port on which requests are answered that need the scope admin; <see langword="null"/>: on all.</param>
/// <param name="Clients">Which hosts and pages are served while there are no keys; <see langword="null"/>: all.</param>
/// <param name="OpenPath">A path that is read without a key, as the metrics may be; <see langword="null"/>: there is none.</param>
/// <param name="VariesByOrigin">Whether an answer's head depends on the page that asks, so that every answer has to say so.</param>
internal sealed record AccessRules(int? AdminPort, ClientRules? Clients = null, string? OpenPath = null, bool VariesByOrigin = false);
