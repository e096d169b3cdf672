using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Tests.Codec;

/// <summary>Objects that can't be restored are refused. Payloads of them, which older versions wrote, are still read.</summary>
public sealed class UnrestorableTests
{
    private readonly CodecFixture _fixture = new();

    [Fact]
    public void InlineArraysKeepAllElements()
    {
        var row = default(Row);
        for (int i = 0; i < 40; i++)
            row[i] = i * i;
        Row copy = _fixture.RoundTrip(row);
        Assert.True(((ReadOnlySpan<int>)copy).SequenceEqual(row));
        Assert.True(_fixture.RoundTrip(new List<Row> { default, row })[1][39] == 39 * 39);
    }

    [Fact]
    public void InlineArraysOfWhichOneElementWasStoredAreStillRead()
    {
        FakeCatalog catalog = OldPayload.Catalog([OldPayload.NameOf(typeof(Row)), 1, "_first", "int32"]);
        var row = (Row)new CodecFixture(catalog: catalog).Read(OldPayload.Of(0x91, 7));
        Assert.Equal((7, 0), (row[0], row[1]));
    }

    [Fact]
    public void OverlappingFieldsAreRefusedByName()
    {
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => _fixture.Write(new Overlapping { Wide = 0x0100 }));
        Assert.Contains("Wide", e.Message, StringComparison.Ordinal);
        Assert.Contains("[NonSerialized]", e.Message, StringComparison.Ordinal);
        Assert.Equal(0, _fixture.RoundTrip(new List<Overlapping> { default })[0].Wide);
    }

    [Fact]
    public void OverlappingFieldsThatWereStoredAreStillRead()
    {
        FakeCatalog catalog = OldPayload.Catalog([OldPayload.NameOf(typeof(Overlapping)), 1, "Wide", "int64", "Low", "int32"]);
        Assert.Equal(9, ((Overlapping)new CodecFixture(catalog: catalog).Read(OldPayload.Of(0x92, 9, 9))).Wide);
        FakeCatalog list = OldPayload.Catalog(
            [$"System.Collections.Generic.List`1{{{OldPayload.NameOf(typeof(Overlapping))}}}", 4, "item", 1],
            [OldPayload.NameOf(typeof(Overlapping)), 1, "Wide", "int64", "Low", "int32"]);
        Assert.Equal(9, ((List<Overlapping>)new CodecFixture(catalog: list).Read(OldPayload.Of(0x91, 0x92, 9, 9)))[0].Wide);
    }

    [Fact]
    public void AnonymousTypesAreRefusedAndStoredOnesAreReadOnlyAsThemselves()
    {
        var value = new { Lost = 1, Found = "f" };
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => _fixture.Write(value));
        Assert.Contains("record", e.Message, StringComparison.Ordinal);
        string name = OldPayload.NameOf(value.GetType().GetGenericTypeDefinition()) + "{System.Int32,System.String}";
        FakeCatalog same = OldPayload.Catalog([name, 0, "<Lost>i__Field", "int32", "<Found>i__Field", "string"]);
        Assert.Equal(value, new CodecFixture(catalog: same).Read(OldPayload.Of(0x92, 1, 0xa1, (byte)'f')));
        FakeCatalog other = OldPayload.Catalog([name, 0, "<Id>i__Field", "int32", "<Found>i__Field", "string"]);
        Assert.Throws<PileSchemaException>(() => new CodecFixture(catalog: other).Read(OldPayload.Of(0x92, 1, 0xa1, (byte)'f')));
    }

    [Fact]
    public void EveryTimeZoneOfTheSystemComesBack()
    {
        foreach (TimeZoneInfo zone in TimeZoneInfo.GetSystemTimeZones())
            Assert.Equal(zone, _fixture.RoundTrip(zone));
        Assert.Same(TimeZoneInfo.Utc, _fixture.RoundTrip(TimeZoneInfo.Utc));
        Assert.Equal(TimeZoneInfo.Local, _fixture.RoundTrip(TimeZoneInfo.Local));
    }

    [Fact]
    public void TimeZonesOfTheApplicationComeBackWithTheirRules()
    {
        TimeZoneInfo zone = TimeZoneInfo.CreateCustomTimeZone("mine", TimeSpan.FromHours(3.5), "display", "standard");
        Assert.Equal("display", _fixture.RoundTrip(zone).DisplayName);
        TimeZoneInfo disguised = TimeZoneInfo.CreateCustomTimeZone("UTC", TimeSpan.FromHours(1), "wrong", "wrong");
        Assert.Equal(disguised, _fixture.RoundTrip(disguised));
    }

    [Fact]
    public void ZonesThatWereStoredWithTheirRulesAreStillRead()
    {
        TimeZoneInfo zone = TimeZoneInfo.CreateCustomTimeZone("old", TimeSpan.FromHours(2), "d", "s");
        byte[] payload = _fixture.Write(zone);
        Assert.Contains(";", System.Text.Encoding.UTF8.GetString(payload), StringComparison.Ordinal);
        Assert.Equal(zone, _fixture.Read(payload));
    }

    [Fact]
    public void CulturesAreKeptByName() =>
        Assert.Equal(CultureInfo.InvariantCulture, _fixture.RoundTrip(CultureInfo.InvariantCulture));

    [Theory]
    [InlineData("/a/b", UriKind.Relative)]
    [InlineData("/a/b", UriKind.Absolute)]
    [InlineData("a/../b?c", UriKind.Relative)]
    [InlineData("file:///a/b", UriKind.Absolute)]
    [InlineData("http://h/ä b%2fc#d", UriKind.Absolute)]
    [InlineData("mailto:a@b", UriKind.Absolute)]
    [InlineData("//h/p", UriKind.Relative)]
    public void AddressesKeepTheirKind(string text, UriKind kind)
    {
        if (!Uri.TryCreate(text, kind, out Uri? uri))
            return; // not on this system
        Uri copy = _fixture.RoundTrip(uri);
        Assert.Equal((uri.IsAbsoluteUri, uri.OriginalString, uri), (copy.IsAbsoluteUri, copy.OriginalString, copy));
    }

    [InlineArray(40)]
    private struct Row
    {
        private int _first;
    }

    [StructLayout(LayoutKind.Explicit)]
    private struct Overlapping
    {
        [FieldOffset(0)]
        public long Wide;

        [FieldOffset(0)]
        public int Low;
    }
}
