using System;
using System.Reflection;
using System.Runtime.Loader;

namespace BigPile.Tests.Codec;

/// <summary>How the codec chooses among several types of one name.</summary>
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

    /// <summary>Objects of one copy of an assembly do not come back as those of another.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void OfAnAssemblyThatIsLoadedTwiceTheOneThatIsNotMeantIsRefused(bool inArray, bool outlivesProcess)
    {
        var context = new AssemblyLoadContext("second", isCollectible: true);
        Assembly second = context.LoadFromAssemblyPath(typeof(Person).Assembly.Location);
        Type type = second.GetType(typeof(Person).FullName!)!;
        object value = Activator.CreateInstance(type)!;
        if (inArray)
        {
            Array array = Array.CreateInstance(type, 1);
            array.SetValue(value, 0);
            value = array;
        }
        FakeCatalog catalog = new() { OutlivesProcess = outlivesProcess };
        var fixture = new CodecFixture(catalog: catalog);
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => fixture.Write(value));
        Assert.Contains("is loaded more than once", e.Message, StringComparison.Ordinal);
        var allowing = new CodecFixture(catalog: catalog, options: new PileCodecOptions().Allow(second));
        Assert.Equal(value.GetType(), allowing.Read(allowing.Write(value)).GetType());
        e = Assert.Throws<PileSerializationException>(() => allowing.Write(Person.Sample(1)));
        Assert.Contains("is loaded more than once", e.Message, StringComparison.Ordinal);
        context.Unload();
    }
}
