namespace BigPile.AspNetCore.Security;

/// <summary>Marks the connections that came in by the port for administrators.</summary>
internal sealed class AdminPort
{
    internal static readonly AdminPort Mark = new();
}
