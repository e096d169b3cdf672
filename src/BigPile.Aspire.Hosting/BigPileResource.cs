namespace Aspire.Hosting.ApplicationModel;

/// <summary>BigPile's service in a container. The connection string is the service's address.</summary>
/// <param name="name">The resource's name.</param>
/// <param name="key">What clients send as <c>X-Api-Key</c>.</param>
public sealed class BigPileResource(string name, string key) : ContainerResource(name), IResourceWithConnectionString
{
    internal const string EndpointName = "http";

    /// <summary>The API key that clients send as <c>X-Api-Key</c>; a new one each time the application model is built.</summary>
    public string Key => key;

    /// <inheritdoc/>
    public ReferenceExpression ConnectionStringExpression =>
        ReferenceExpression.Create($"{new EndpointReference(this, EndpointName).Property(EndpointProperty.Url)}");
}
