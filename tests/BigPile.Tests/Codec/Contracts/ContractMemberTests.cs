using System;
using System.Collections.Generic;
using System.Linq;
using MessagePack;

namespace BigPile.Tests.Codec;

/// <summary>Members that are code: computed properties and callbacks.</summary>
public sealed class ContractMemberTests
{
    private readonly CodecFixture _fixture = new();
    private readonly CodecFixture _extending = new(options: new PileCodecOptions { MayExtendContracts = true });

    [Fact]
    public void KeyOnAComputedPropertyGoesThroughItsCode()
    {
        var value = new Computed { X = 3, Y = 4 };
        Assert.Equal("930304C0", Body(value));
        Computed copy = _fixture.RoundTrip(value);
        Assert.Equal((3, 4), (copy.X, copy.Y));
        Assert.Equal(3, copy.Calls);
    }

    [Fact]
    public void PropertyWithoutASetterIsWrittenAndForgotten()
    {
        Assert.Equal("9207C0", Body(new GetOnly()));
        Assert.Null(_fixture.RoundTrip(new GetOnly()).Other);
    }

    [Fact]
    public void ComputedPropertiesOfStructures()
    {
        var value = new ComputedStruct { Twice = 8 };
        Assert.Equal("9108", Body(value));
        Assert.Equal(8, _fixture.RoundTrip(value).Twice);
        Assert.Equal(8, _fixture.RoundTrip(new List<ComputedStruct> { value })[0].Twice);
    }

    [Fact]
    public void ComputedPropertyUnderPropertyNamesIsStoredWhenItCanBeSet()
    {
        var value = new NamedComputed { X = 3, Y = 1 };
        Assert.Equal("82A15803A15901", Body(value));
        Assert.Equal(3, _fixture.RoundTrip(value).X);
    }

    [Fact]
    public void ObjectsInComputedPropertiesAreShared()
    {
        var shared = new Cat { Lives = 2 };
        Linked copy = _extending.RoundTrip(new Linked { First = shared, Second = shared });
        Assert.Same(copy.First, copy.Second);
        Assert.Equal(2, copy.First!.Lives);
    }

    [Fact]
    public void KeyWithoutAGetterIsAnError()
    {
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => _fixture.Write(new SetOnly()));
        Assert.Contains("Property Lost", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void CallbacksRunBeforeWritingAndWhenTheWholeGraphIsThere()
    {
        var child = new Watched();
        var parent = new Watched { Child = child };
        child.Child = parent;
        Watched copy = (Watched)_extending.Read(_extending.Write(parent));
        Assert.True(parent.Befores >= 1 && child.Befores >= 1);
        Assert.Equal((1, 1), (copy.Afters, copy.Child!.Afters));
        Assert.True(copy.SawWholeGraph && copy.Child.SawWholeGraph);
        Assert.True(copy.Order > copy.Child.Order);
    }

    [Fact]
    public void CallbacksOfClassesWithNamedKeys()
    {
        var copy = (NamedWatched)_fixture.Read(_fixture.Write(new NamedWatched()));
        Assert.Equal((9, true), (copy.Stamp, copy.WasRead));
    }

    [Fact]
    public void CallbacksOfAListAsLongAsItIsDeep()
    {
        Watched? chain = null;
        for (int i = 0; i < 1000; i++)
            chain = new Watched { Child = chain };
        var copy = (Watched)_extending.Read(_extending.Write(chain!));
        for (Watched? node = copy; node is not null; node = node.Child)
            Assert.Equal(1, node.Afters);
    }

    [Fact]
    public void CallbacksDoNotRunOnBadData()
    {
        byte[] payload = _fixture.Write(new object[] { new NamedWatched(), "end" });
        NamedWatched.Reads = 0;
        Assert.Throws<PileSerializationException>(() => _fixture.Read(payload.AsSpan(0, payload.Length - 1)));
        Assert.Equal(0, NamedWatched.Reads);
    }

    [Fact]
    public void CallbacksOfStructuresAreRefused()
    {
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => _fixture.Write(new WatchedStruct()));
        Assert.Contains("serialization callbacks", e.Message, StringComparison.Ordinal);
    }

    private string Body(object value) => Convert.ToHexString(_fixture.Write(value).Skip(4).ToArray());

    [MessagePackObject]
    private sealed class Computed
    {
        private readonly int[] _values = new int[2];
        private int[]? _read;

        [IgnoreMember]
        public int Calls { get; private set; }

        [Key(0)]
        public int X
        {
            get => Values[0];
            set => Set(0, value);
        }

        [Key(1)]
        public int Y
        {
            get => Values[1];
            set => Set(1, value);
        }

        [Key(2)]
        public object? None
        {
            get => null;
            set => Set(0, Values[0]);
        }

        // No constructor runs on a read, so there is no array then.
        private int[] Values => _values ?? (_read ??= new int[2]);

        private void Set(int index, int value)
        {
            Values[index] = value;
            Calls++;
        }
    }

    [MessagePackObject]
    private sealed class GetOnly
    {
        [Key(0)]
        public int Seven => 7;

        [Key(1)]
        public string? Other { get; set; }
    }

    [MessagePackObject]
    private struct ComputedStruct
    {
        private int _half;

        [Key(0)]
        public int Twice
        {
            readonly get => _half * 2;
            set => _half = value / 2;
        }
    }

    [MessagePackObject(true)]
    private sealed class NamedComputed
    {
        private int _x;

        public int X
        {
            get => _x;
            set => _x = value;
        }

        public int Y { get; set; }

        public int Sum => X + Y;
    }

    [MessagePackObject]
    private sealed class Linked
    {
        private Cat? _first;

        [Key(0)]
        public Cat? First
        {
            get => _first;
            set => _first = value;
        }

        [Key(1)]
        public Cat? Second { get; set; }
    }

    [MessagePackObject]
    private sealed class SetOnly
    {
        private int _lost;

        [Key(0)]
        public int Lost
        {
            set => _lost = value;
        }

        public override string ToString() => $"{_lost}";
    }

    [MessagePackObject]
    private sealed class Watched : IMessagePackSerializationCallbackReceiver
    {
        private static int _clock;

        [Key(0)]
        public Watched? Child { get; set; }

        [IgnoreMember]
        public int Befores { get; private set; }

        [IgnoreMember]
        public int Afters { get; private set; }

        [IgnoreMember]
        public int Order { get; private set; }

        [IgnoreMember]
        public bool SawWholeGraph { get; private set; }

        public void OnBeforeSerialize() => Befores++;

        public void OnAfterDeserialize()
        {
            Afters++;
            Order = ++_clock;
            SawWholeGraph = ReferenceEquals(Child?.Child, this);
        }
    }

    [MessagePackObject(true)]
    private sealed class NamedWatched : IMessagePackSerializationCallbackReceiver
    {
        [IgnoreMember]
        public static int Reads { get; set; }

        public int Stamp { get; set; }

        [IgnoreMember]
        public bool WasRead { get; private set; }

        public void OnBeforeSerialize() => Stamp = 9;

        public void OnAfterDeserialize()
        {
            WasRead = true;
            Reads++;
        }
    }

    [MessagePackObject]
    private struct WatchedStruct : IMessagePackSerializationCallbackReceiver
    {
        [Key(0)]
        public int X { get; set; }

        public readonly void OnBeforeSerialize()
        {
        }

        public readonly void OnAfterDeserialize()
        {
        }
    }
}
