using System.Runtime.CompilerServices;

namespace BigPile.Tests.Codec;

/// <summary>Checks that the tests of this project run on the interpreter.</summary>
public sealed class RuntimeTests
{
    [Fact]
    public void NoCodeIsGeneratedHere()
    {
        Assert.False(RuntimeFeature.IsDynamicCodeSupported);
        Assert.Equal(CodeGeneration.Never, new PileCodecOptions().CodeGeneration);
    }
}
