using System.Runtime.CompilerServices;

namespace BigPile.Tests.Codec;

/// <summary>The tests of this project run where they are meant to.</summary>
public sealed class RuntimeTests
{
    [Fact]
    public void NoCodeIsGeneratedHere()
    {
        Assert.False(RuntimeFeature.IsDynamicCodeSupported);
        Assert.Equal(CodeGeneration.Never, new PileCodecOptions().CodeGeneration);
    }
}
