namespace BigPile.Page.Tests.Support;

/// <summary>The tests that share the browser; they run one after the other.</summary>
[CollectionDefinition(Name)]
public sealed class BrowserGroup : ICollectionFixture<Browser>
{
    internal const string Name = "browser";
}
