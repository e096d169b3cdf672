using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Runtime.Serialization;
using System.Text;

namespace BigPile.Tests.Codec;

/// <summary>One test for each known pitfall of codecs with types and values.</summary>
public sealed class PitfallTests
{
    public static TheoryData<CodecMode> Modes => [CodecMode.Interpreted, CodecMode.Generated];

    [Theory, MemberData(nameof(Modes))]
    public void ReadOnlyFieldsAreSet(CodecMode mode)
    {
        Square copy = new CodecFixture(mode).RoundTrip(new Square("s", 3));
        Assert.Equal(("s", 3.0, "square"), (copy.Name, copy.Width, copy.Kind));
    }

    [Fact]
    public void LoneSurrogatesSurvive() =>
        Assert.Equal("a\ud800b", new CodecFixture().RoundTrip(new Node2 { Text = "a\ud800b" }).Text, StringComparer.Ordinal);

    [Theory]
    [InlineData(DateTimeKind.Utc)]
    [InlineData(DateTimeKind.Local)]
    [InlineData(DateTimeKind.Unspecified)]
    public void KindOfADateIsKept(DateTimeKind kind)
    {
        var date = new DateTime(2024, 3, 31, 2, 30, 0, 123, kind);
        DateTime copy = new CodecFixture().RoundTrip(date);
        Assert.Equal((date.Ticks, kind), (copy.Ticks, copy.Kind));
    }

    [Fact]
    public void StaticConstructorThatThrowsIsACleanError()
    {
        var fixture = new CodecFixture();
        byte[] payload = fixture.Write(new Node2());
        payload[0] = (byte)fixture.Codec.Models.ForType(typeof(Faulty)).TypeId;
        Assert.Throws<PileSerializationException>(() => fixture.Read(payload));
    }

    [Fact]
    public void ArraysKeepTheirOwnElementTypeAndIndexRanges()
    {
        var fixture = new CodecFixture();
        object[] texts = new string[] { "a" };
        Assert.IsType<string[]>(fixture.RoundTrip(new Drawing { Tag = texts }).Tag);
        var holder = new ArrayHolder { Items = new string[] { "a" } };
        Assert.IsType<string[]>(fixture.RoundTrip(holder).Items);
        Array based = Array.CreateInstance(typeof(int), [2], [1]);
        Assert.Equal(1, ((Array)fixture.RoundTrip((object)based)).GetLowerBound(0));
        Assert.IsType<DayOfWeek[]>(fixture.RoundTrip((object)new DayOfWeek[] { DayOfWeek.Friday }));
        Assert.IsType<uint[]>(fixture.RoundTrip((object)new uint[] { 1 }));
    }

    [Fact]
    public void BoxesKeepTheirType()
    {
        int? maybe = 5;
        object[] boxes = [DayOfWeek.Friday, maybe, (short)5, 5L, (byte)5, 'c', 5m, new Point3?(new Point3 { X = 1 })];
        object[] copy = new CodecFixture().RoundTrip(boxes);
        Assert.Equal(boxes.Select(b => b.GetType()), copy.Select(b => b.GetType()));
        Assert.Equal(boxes, copy);
    }

    [Theory, MemberData(nameof(Modes))]
    public void FieldsOfOneNameInBaseAndDerivedClass(CodecMode mode)
    {
        var value = new HidingChild(1, 2);
        HidingChild copy = new CodecFixture(mode).RoundTrip(value);
        Assert.Equal((1, 2), (copy.BaseValue, copy.OwnValue));
        Assert.Equal(new Money(1, "EUR"), new CodecFixture(mode).RoundTrip(new Money(1, "EUR")));
    }

    [Fact]
    public void TypeObjectsResolveOnlyThroughTheRegistry()
    {
        var fixture = new CodecFixture();
        Type[] types = [typeof(Person), typeof(List<Person>), typeof(int), typeof(Dictionary<string, int[]>), typeof(Nested<int>.Inner)];
        Assert.Equal(types, fixture.RoundTrip(types));
        Assert.Throws<PileSerializationException>(() => fixture.Write(new[] { typeof(System.Diagnostics.Process) }));
    }

    [Fact]
    public void StoredTypeNamesCannotReachOtherTypes()
    {
        var fixture = new CodecFixture();
        foreach (string name in (string[])["System.Diagnostics.Process", "System.Private.CoreLib/System.IO.FileStream",
            "System.IO.FileInfo",
            "System.Collections.Generic.List`1{System.IO.FileInfo}",
            "BigPile.Tests/System.Collections.Generic.List`1[[System.IO.FileStream]]", "x{", "[]", ""])
        {
            var catalog = new FakeCatalog();
            catalog.GetOrAdd([0x91, 0x92, (byte)(0xd9), (byte)name.Length, .. Encoding.ASCII.GetBytes(name), 0]);
            Assert.Throws<PileSchemaException>(() => new CodecFixture(catalog: catalog).Read([1, 0, 0, 0, 0x90]));
        }
    }

    [Fact]
    public void EmptyStringIsTheEmptyString()
    {
        Assert.Same(string.Empty, new CodecFixture().RoundTrip(new Node2 { Text = "" }).Text);
        Assert.Equal(0, string.Empty.Length);
    }

    [Fact]
    public void FieldsThatAreNotDataStayAtTheirDefaults()
    {
        NotData.Shared = 7;
        NotData copy = new CodecFixture().RoundTrip(new NotData { Kept = 1, Dropped = 2, Ignored = 3, IgnoredProperty = 4 });
        Assert.Equal((1, 0, 0, 0), (copy.Kept, copy.Dropped, copy.Ignored, copy.IgnoredProperty));
        Assert.Equal(7, NotData.Shared);
    }

    [Fact]
    public void BitsOfNumbersAreKept()
    {
        // From text, because the compiler converts a constant through another format, which loses the bit.
        double nan = BitConverter.Int64BitsToDouble(long.Parse("7ff4000000000001", NumberStyles.HexNumber, CultureInfo.InvariantCulture));
        float small = BitConverter.Int32BitsToSingle(int.Parse("7fa00001", NumberStyles.HexNumber, CultureInfo.InvariantCulture));
        var copy = new CodecFixture().RoundTrip(Tuple.Create(nan, small, -0.0, BitConverter.UInt16BitsToHalf(0x7d01), 1.000m));
        Assert.Equal(0x7ff4_0000_0000_0001, BitConverter.DoubleToInt64Bits(copy.Item1));
        Assert.Equal(0x7fa0_0001, BitConverter.SingleToInt32Bits(copy.Item2));
        Assert.True(double.IsNegative(copy.Item3));
        Assert.Equal(0x7d01, BitConverter.HalfToUInt16Bits(copy.Item4));
        Assert.Equal("1.000", copy.Item5.ToString(CultureInfo.InvariantCulture));
    }

    [Fact]
    public void ImmutableClassesOfTheFramework()
    {
        var fixture = new CodecFixture();
        Assert.Equal("text", fixture.RoundTrip(new StringBuilder("text")).ToString());
        Assert.Equal(CultureInfo.InvariantCulture, fixture.RoundTrip(CultureInfo.InvariantCulture));
        Assert.Equal(IPAddress.Loopback, fixture.RoundTrip<object[]>([IPAddress.Parse("127.0.0.1")])[0]);
        Assert.Equal(TimeZoneInfo.Utc, fixture.RoundTrip(TimeZoneInfo.Utc));
        Assert.Same(StringComparer.Ordinal, fixture.RoundTrip<object[]>([StringComparer.Ordinal])[0]);
        var uri = new Uri("http://a/");
        Uri[] copy = fixture.RoundTrip<Uri[]>([uri, uri]);
        Assert.Same(copy[0], copy[1]);
    }

    private sealed class Node2
    {
        public string? Text;
    }

    private sealed class ArrayHolder
    {
        public object[]? Items;
    }

    private sealed class Faulty
    {
        static Faulty() => int.Parse("no number", CultureInfo.InvariantCulture);

        public string? Text { get; set; }
    }

    private class Hiding(int value)
    {
        private readonly int _value = value;

        public int BaseValue => _value;
    }

    private sealed class HidingChild(int parent, int own) : Hiding(parent)
    {
        private readonly int _value = own;

        public int OwnValue => _value;
    }

    private static class Nested<T>
    {
        public sealed class Inner
        {
            public T? Value { get; set; }
        }
    }

    private sealed class NotData
    {
        public static int Shared;

        public int Kept;

        [NonSerialized]
        public int Dropped;

        [IgnoreDataMember]
        public int Ignored;

        [IgnoreDataMember]
        public int IgnoredProperty { get; set; }
    }
}
