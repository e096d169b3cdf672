using System.Linq;
using System.Numerics;
using BigPile.Catalog;
using BigPile.Codec.Values;

namespace BigPile.Tests;

public sealed class UserCodecTests
{
    /// <summary>What has any length may be longer than a payload with a mark, and is left to the application.</summary>
    [Fact]
    public void Every_primitive_of_a_bounded_length_has_the_piles_own_form() =>
        Assert.Equal(
            [typeof(BigInteger)], LeafCodecs.Types.Where(static type => LeafCodecs.IsPrimitive(type) && !UserCodec.IsPrimitive(type)));
}
