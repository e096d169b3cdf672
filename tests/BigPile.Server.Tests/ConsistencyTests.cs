using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests;

public sealed class ConsistencyTests : ServerTest
{
    private const string Path = "/v1/tables/t/entries/k";
    private const int PutCount = 600;
    private const int ReaderCount = 2;

    [Fact]
    public async Task Body_length_type_and_tag_of_a_read_come_from_one_put()
    {
        var puts = new ConcurrentDictionary<string, int>();
        await PutAsync(0, puts);
        int haveSeenTwo = 0;
        long start = Stopwatch.GetTimestamp();
        Task writing = Task.Run(async () =>
        {
            for (int number = 1; number < PutCount || Volatile.Read(ref haveSeenTwo) < ReaderCount; number++)
            {
                Assert.True(Stopwatch.GetElapsedTime(start) < 3 * Eventually.Timeout, "a reader has not seen two values");
                await PutAsync(number, puts);
            }
        });
        Task<List<(string Tag, int Number)>>[] readers =
            [.. Enumerable.Range(0, ReaderCount).Select(_ => ReadUntilAsync(writing, () => Interlocked.Increment(ref haveSeenTwo)))];
        List<(string Tag, int Number)>[] reads = await Task.WhenAll(readers);
        await writing;
        Assert.InRange(puts.Count, PutCount, int.MaxValue);
        Assert.Equal(Enumerable.Range(0, puts.Count), puts.Values.Order());
        Assert.All(reads.SelectMany(static read => read), read => Assert.Equal(puts[read.Tag], read.Number));
        Assert.All(reads, static read => Assert.True(read.Select(static one => one.Number).Distinct().Count() > 1));
    }

    private static int LengthOf(int number) => 1 + (number * 7919 % 70_000);

    private async Task PutAsync(int number, ConcurrentDictionary<string, int> puts)
    {
        var body = new byte[LengthOf(number)];
        Array.Fill(body, (byte)number);
        using HttpResponseMessage response = await Server.PutAsync(Path, body, $"text/x-{number}");
        puts[response.Headers.ETag!.Tag] = number;
    }

    private async Task<List<(string Tag, int Number)>> ReadUntilAsync(Task writing, Action hasSeenTwo)
    {
        var reads = new List<(string Tag, int Number)>();
        bool isTold = false;
        while (!writing.IsCompleted)
        {
            using HttpResponseMessage response = await Client.GetAsync(Path);
            byte[] body = await response.Content.ReadAsByteArrayAsync();
            int number = int.Parse(
                response.Content.Headers.ContentType!.MediaType!["text/x-".Length..], System.Globalization.CultureInfo.InvariantCulture);
            Assert.Equal(LengthOf(number), body.Length);
            Assert.False(body.AsSpan().ContainsAnyExcept((byte)number));
            if (!isTold && reads.Count != 0 && reads[0].Number != number)
            {
                isTold = true;
                hasSeenTwo();
            }
            reads.Add((response.Headers.ETag!.Tag, number));
        }
        return reads;
    }
}
