using System.Reflection;
using System.Runtime.Loader;

namespace BigPile.Tests.Codec;

/// <summary>Which of several types of one name is meant.</summary>
public sealed class TypeResolutionTests
{
    [Fact]
    public void OfAnAssemblyThatIsLoadedTwiceTheAllowedOneIsMeant()
    {
        var first = new CodecFixture();
        byte[] payload = first.Write(Person.Sample(1));
        var context = new AssemblyLoadContext("second", isCollectible: true);
        Assembly second = context.LoadFromAssemblyPath(typeof(Person).Assembly.Location);
        var allowing = new CodecFixture(catalog: first.Catalog, options: new PileCodecOptions().Allow(second));
        Assert.Same(second, allowing.Read(payload).GetType().Assembly);
        Assert.Same(typeof(Person).Assembly, first.Read(payload).GetType().Assembly);
        context.Unload();
    }
}
