using System;
using System.Collections.Generic;

namespace BigPile.Tests.Codec;

/// <summary>Pitfalls of containers that hash or compare their elements.</summary>
public sealed class HashPitfallTests
{
    [Fact]
    public void HashContainersAreRebuiltAndNotCopied()
    {
        var set = new HashSet<object> { new Node(), "a", 5, DayOfWeek.Friday };
        HashSet<object> copy = new CodecFixture().RoundTrip(set);
        Assert.All(copy, item => Assert.Contains(item, copy));
    }

    [Fact]
    public void StoredKeyThatOccursTwiceIsBadData()
    {
        var fixture = new CodecFixture();
        byte[] payload = fixture.Write(new Dictionary<string, int> { ["a"] = 1, ["b"] = 2 });
        payload[Array.IndexOf(payload, (byte)'b')] = (byte)'a';
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload));
        payload = fixture.Write(new HashSet<string> { "a", "b" });
        payload[Array.IndexOf(payload, (byte)'b')] = (byte)'a';
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload));
    }

    [Fact]
    public void KeyWhoseHashThrowsIsACleanError()
    {
        var fixture = new CodecFixture();
        var keys = new Dictionary<object, int>(ReferenceEqualityComparer.Instance) { [new Unhashable()] = 1 };
        Assert.Single(fixture.RoundTrip(keys));
        byte[] payload = fixture.Write(new Dictionary<Unhashable, int>(new Anything()) { [new Unhashable()] = 1 });
        Assert.IsType<InvalidOperationException>(Assert.Throws<PileSerializationException>(() => fixture.Read(payload)).InnerException);
    }

    private sealed class Unhashable
    {
        public override bool Equals(object? obj) => ReferenceEquals(this, obj);

        public override int GetHashCode() => throw new InvalidOperationException("No hash.");
    }

    private sealed class Anything : EqualityComparer<Unhashable>
    {
        [NonSerialized]
        private readonly bool _isLive = true;

        public override bool Equals(Unhashable? x, Unhashable? y) => ReferenceEquals(x, y);

        public override int GetHashCode(Unhashable obj) => _isLive ? 1 : throw new InvalidOperationException("No hash.");
    }
}
