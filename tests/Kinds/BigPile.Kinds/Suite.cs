using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Numerics;
using System.Reflection;
using System.Text;
using Kinds.Own;
using Kinds.ThirdParty;

namespace BigPile.Kinds;

/// <summary>All kinds of values, in an order that both processes see alike.</summary>
internal static class Suite
{
    public static PileCodecOptions Options() => new PileCodecOptions().Allow(typeof(Allowed)).Allow(typeof(Paint));

    public static IEnumerable<Kind> All()
    {
        foreach (IEnumerable<Kind> group in (IEnumerable<Kind>[])[.. Values(), .. Keys(), .. Names(), .. Others(), Losses.All(), Collected
            .All(), Documents.All()])
        {
            foreach (Kind kind in group)
                yield return kind;
        }
    }

    private static IEnumerable<IEnumerable<Kind>> Keys() =>
    [
        Places.OfKey("int", () => -5),
        Places.OfKey("text", () => "text é \uD800"),
        Places.OfKey("bool", () => true),
        Places.OfKey("decimal", () => 1.2300m),
        Places.OfKey("guid", () => new Guid("00112233-4455-6677-8899-aabbccddeeff")),
        Places.OfKey("date", () => new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Local)),
        Places.OfKey("date with offset", () => new DateTimeOffset(2024, 5, 6, 7, 8, 9, TimeSpan.FromHours(-9.5))),
        Places.OfKey("own enum", () => Level.High),
        Places.OfKey("framework enum", () => HttpStatusCode.NotFound),
        Places.OfKey("console color", () => ConsoleColor.DarkRed),
        Places.OfKey("file mode", () => FileMode.OpenOrCreate),
        Places.OfKey("own library's enum", () => Mood.Merry),
        Places.OfKey("allowed enum", () => Paint.Green),
        Places.OfKey("record", () => new Point(3, 4)),
        Places.OfKey("nested record", () => new Person("p", new Point(5, 6))),
        Places.OfKey("own library's record", () => new OwnRecord(7, "own", PilePointer.FromUInt64(9))),
        Places.OfKey("allowed record", () => new Allowed("allowed", Paint.Red)),
        Places.OfKey("tuple class", () => Tuple.Create(1, "two", 3.0)),
        Places.OfKey("version", () => new Version(1, 2, 3)),
        Places.OfKey("big integer", () => BigInteger.Pow(7, 90)),
    ];

    private static IEnumerable<IEnumerable<Kind>> Values() =>
    [
        Places.Of("nullable", () => (int?)8),
        Places.Of("nullable enum", () => (DayOfWeek?)DayOfWeek.Friday),
        Places.Of("nullable framework enum", () => (HttpStatusCode?)HttpStatusCode.Gone),
        Places.Of("list of interface", () => new List<IComparable> { 5, "five", 5.0 }),
        Places.Of("list of interface lists", () => new List<IList<int>> { new List<int> { 1 }, new[] { 2, 3 } }),
        Places.Of("dictionary of interface", () => new Dictionary<string, IList<int>> { ["a"] = new[] { 1, 2 } }),
        Places.Of("page of interface", () => new Page<IReadOnlyList<string>> { Item = new[] { "x" }, Number = 2 }),
        Places.Of("tuple of enums", () => (ConsoleColor.Blue, HttpStatusCode.Ambiguous, 5)),
        Places.Of("array of arrays", () => new[] { new[] { BindingFlags.Public }, [] }),
        Places.Of("matrix of enums", () => new[,] { { FileAccess.Read, FileAccess.Write } }),
        Places.Of("interface member of own library", () => new Page<IOwn> { Item = new OwnRecord(1, "o", default) }),
        Places.Of("own library's page", () => new OwnPage<Mood> { Item = Mood.Merry, Number = 3 }),
        Places.Of("page in a page", () => new OwnPage<Page<IDictionary<string, HttpStatusCode>>> { Item = new() { Number = 1 } }),
        Places.Of("uri", () => new Uri("http://host/a/../b?c=%41")),
        Places.Of("relative uri", () => new Uri("/a/b", UriKind.Relative)),
        Places.Of("text builder", () => new StringBuilder("builder")),
        Places.Of("address", () => IPAddress.Parse("fe80::1%3")),
        Places.Of("type object", () => typeof(Dictionary<string, Point>)),
        Places.Of("type object of an interface", () => typeof(IList<HttpStatusCode>)),
        Places.Of("zone", () => TimeZoneInfo.Utc),
        Places.Of("culture", () => System.Globalization.CultureInfo.InvariantCulture),
        Places.Of("pointer", () => PilePointer.FromUInt64(77)),
        Places.Of("bytes", () => new byte[] { 1, 2, 3 }),
        Places.Of("complex", () => new Complex(1, -2)),
        Places.Of("segment", () => new ArraySegment<int>([1, 2, 3, 4], 1, 2)),
    ];

    private static IEnumerable<IEnumerable<Kind>> Names() =>
    [
        Places.OfName<IReadOnlyList<string>>("read-only list"),
        Places.OfName<IEnumerable<KeyValuePair<string, HttpStatusCode>>>("sequence of pairs"),
        Places.OfName<IComparable<int>>("comparable"),
        Places.OfName<IFormattable>("formattable"),
        Places.OfName<IDisposable>("disposable"),
        Places.OfName<IAsyncEnumerable<int>>("asynchronous sequence"),
        Places.OfName<System.Collections.Immutable.IImmutableList<int>>("immutable list's interface"),
        Places.OfName<System.Linq.IGrouping<int, string>>("grouping"),
        Places.OfName<System.ComponentModel.INotifyPropertyChanged>("observable"),
        Places.OfName<HttpStatusCode>("status code"),
        Places.OfName<System.IO.Compression.CompressionLevel>("compression level"),
        Places.OfName<System.Data.DbType?>("nullable database type"),
        Places.OfName<Stream>("abstract class"),
        Places.OfName<IOwn>("own library's interface"),
        Places.OfName<Mood>("own library's enum"),
    ];

    // Nobody allowed these: a later process could not find them.
    private static IEnumerable<IEnumerable<Kind>> Others() =>
    [
        Places.OfName<IThirdParty>("foreign interface", Outcome.Refused),
        Places.OfName<ThirdPartyPerson>("foreign record's name", Outcome.Refused),
        Places.OfName<ThirdPartyBox<int>>("foreign constructed type", Outcome.Refused),
        Places.OfName<FileStream>("stream's name", Outcome.Refused),
        Places.Of("foreign record", () => new ThirdPartyPerson("f", 3), Outcome.Refused),
        Places.Of("foreign structure", () => new ThirdPartyPoint(1, 2), Outcome.Refused),
        Places.Of("foreign box", () => new ThirdPartyBox<int> { Content = 4 }, Outcome.Refused),
    ];
}
