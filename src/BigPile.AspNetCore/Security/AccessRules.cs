namespace BigPile.AspNetCore.Security;

/// <summary>What is asked of requests beside keys.</summary>
/// <param name="HasAdminPort">Whether requests that need the scope admin are answered on a port of their own only.</param>
internal sealed record AccessRules(bool HasAdminPort);
