using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Tests.Runs;

/// <summary>Forged result files that try to mislead a reader.</summary>
public sealed class RunTextsTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData('\u001b', "U+001B")]
    [InlineData('\u0000', "U+0000")]
    [InlineData('\n', "U+000A")]
    [InlineData('\u009b', "U+009B")]
    [InlineData('\u202e', "U+202E")]
    [InlineData('\u2028', "U+2028")]
    [InlineData('\u200b', "U+200B")]
    public void A_character_that_does_not_show_is_refused_wherever_it_is(char hidden, string printable)
    {
        RunFile run = ComparisonTests.Small([1.0]);
        Assert.All(WithText(run, $"a{hidden}[31mb"), one =>
        {
            string fault = Assert.IsType<string>(RunCheck.FindFault(one));
            Assert.DoesNotContain(hidden, fault);
            Assert.True(fault.Contains($"its character 1, {printable}") || fault.Contains("id 'a\ufffd"), fault);
        });
    }

    [Theory]
    [InlineData("µs × 10³, größer – 日本 👍")]
    [InlineData("a\\b \"c\" <d> &amp; [e]")]
    public void What_shows_is_taken(string text)
    {
        RunFile run = ComparisonTests.Small([1.0]);
        Assert.All(WithText(run, text).SkipLast(1), one => Assert.Null(RunCheck.FindFault(one))); // the last is that of an id
        Assert.Equal(text, RunTexts.Sanitize(text));
    }

    [Theory]
    [InlineData("\"commit\": \"", "\"commit\": \"\\u001b[2J")]
    [InlineData("\"commit\": \"", "\"commit\\u001b\": \"")]
    [InlineData("\"repeats\": \"5\"", "\"re\\u001bpeats\": null")]
    [InlineData("\"repeats\": \"5\"", "\"re\\u001bpeats\": {}")]
    [InlineData("\"name\": \"pile\"", "\"name\": \"\\ud800\"")]
    public void A_refusal_says_nothing_that_does_not_show(string text, string other)
    {
        string path = Path.Combine(_directory.Path, "run.json");
        RunStore.Write(path, ComparisonTests.Small([1.0]));
        string whole = File.ReadAllText(path);
        Assert.Contains(text, whole);
        File.WriteAllText(path, whole.Replace(text, other, StringComparison.Ordinal));
        LoadException error = Assert.Throws<LoadException>(() => RunStore.Read(path));
        Assert.DoesNotContain(error.Message, char.IsControl);
    }

    [Fact]
    public void What_is_too_much_to_be_drawn_is_refused()
    {
        RunFile run = ComparisonTests.Small([1.0]);
        RunChart chart = run.Charts[0];
        RunSeries series = chart.Series[0];
        Assert.Contains("257, and may be 256", RunCheck.FindFault(run with { Charts = [.. Many(257, chart)] }));
        Assert.Contains("65 series, and may be 64", FaultOf(chart with { Series = [.. Many(65, series)] }));
        IEnumerable<RunPoint> points = Enumerable.Range(1, 4097).Select(static x => new RunPoint(x, [1]));
        Assert.Contains("4097 points, and may be 4096", FaultOf(chart with { Series = [series with { Points = [.. points] }] }));
        var point = new RunPoint(1, [.. Many(4097, 1.0)]);
        Assert.Contains("4097 repeats, and may be 4096", FaultOf(chart with { Series = [series with { Points = [point] }] }));
        Assert.Contains("4097 characters, and may have 4096", FaultOf(chart with { Title = new string('a', 4097) }));

        string? FaultOf(RunChart other) => RunCheck.FindFault(run with { Charts = [other] });
    }

    private static IEnumerable<T> Many<T>(int count, T one) => Enumerable.Repeat(one, count);

    private static IEnumerable<RunFile> WithText(RunFile run, string text)
    {
        RunChart chart = run.Charts[0];
        yield return run with { Commit = text };
        yield return run with { Machine = run.Machine with { Processor = text } };
        yield return run with { Machine = run.Machine with { System = text } };
        yield return run with { Machine = run.Machine with { Runtime = text } };
        yield return run with { Machine = run.Machine with { Collector = text } };
        yield return run with { Options = new Dictionary<string, string> { [text] = "1" } };
        yield return run with { Options = new Dictionary<string, string> { ["quick"] = text } };
        yield return run with { Charts = [chart with { Title = text }] };
        yield return run with { Charts = [chart with { HowMade = text }] };
        yield return run with { Charts = [chart with { X = chart.X with { Label = text } }] };
        yield return run with { Charts = [chart with { X = chart.X with { Unit = text } }] };
        yield return run with { Charts = [chart with { Y = chart.Y with { Label = text } }] };
        yield return run with { Charts = [chart with { Y = chart.Y with { Unit = text } }] };
        yield return run with { Charts = [chart with { Series = [chart.Series[0] with { Name = text }] }] };
        yield return run with { Charts = [chart with { Id = text }] };
    }
}
