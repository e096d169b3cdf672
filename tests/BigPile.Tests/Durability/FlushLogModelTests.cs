using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Durability;
using Microsoft.Extensions.Logging.Abstractions;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>The flush log against a list of the batches that were made durable, cut, torn and damaged in all places.</summary>
public sealed class FlushLogModelTests(ITestOutputHelper output) : IDisposable
{
    private const int CapacityBytes = 16 * 1024;
    private const int SectorBytes = 512;

    private readonly ScratchDirectory _scratch = new();

    public void Dispose() => _scratch.Dispose();

    [Fact]
    public void What_is_read_back_is_exactly_what_was_durable()
    {
        int read = 0;
        for (int run = 0; run < TestLeg.Steps(4, 400); run++)
        {
            int seed = TestLeg.Seed(1_300) + run;
            output.WriteLine($"seed {seed}");
            using var rig = new Rig(_scratch.At($"run{run}"), seed);
            for (int step = 0; step < 40; step++)
                rig.Step();
            rig.CheckClean();
            read += rig.Images;
        }
        output.WriteLine($"images read {read:N0}");
        Assert.NotEqual(0, read);
    }

    private sealed class Rig : IDisposable
    {
        private readonly Random _random;
        private readonly PileDirectory _directory;
        // what each of the files has; zeros at first
        private readonly byte[][] _written = [new byte[CapacityBytes], new byte[CapacityBytes]];
        private readonly List<(ulong Limit, byte[] Body)> _durable = [];
        private FlushLog _log;

        internal Rig(string path, int seed)
        {
            _random = new Random(seed);
            var options = new PileOptions { Directory = path, SegmentBytes = DurabilityTest.SegmentBytes };
            _directory = PileDirectory.Open(options, NullLogger.Instance);
            _directory.Superblock.MarkOpened(isRecovered: true, flushedVersion: 0);
            _log = new FlushLog(_directory, CapacityBytes);
        }

        internal int Images { get; private set; }

        private string LogPath => _directory.PathOf(_directory.Superblock.LogEpoch % 2 == 0 ? "log-0" : "log-1");

        internal void Step()
        {
            byte[] batch = new byte[FlushLog.HeadBytes + _random.Next(_random.Next(4) == 0 ? 4_000 : 300)];
            Noise.Fill(batch, _random.NextInt64());
            byte[] body = batch[FlushLog.HeadBytes..];
            ulong limit = (ulong)_random.NextInt64();
            bool isCheckpoint = _random.Next(6) == 0 || batch.Length > _log.FreeBytes;
            byte[] before = _written[(_directory.Superblock.LogEpoch + (isCheckpoint ? 1 : 0)) % 2];
            (ulong Limit, byte[] Body)[] old = [.. _durable];
            if (isCheckpoint)
            {
                Assert.Null(_log.Restart(batch, limit, flushedVersion: 0));
                old = [];
                _durable.Clear();
            }
            else
            {
                Assert.Null(_log.Append(batch, limit));
            }
            _durable.Add((limit, body));
            _log.CheckInvariants();
            CheckRead(_durable);
            byte[] after = File.ReadAllBytes(LogPath);
            TearLastWrite(before, after, old);
            CheckInvariantsAfter(after);
            FlipBits(after);
            CheckInvariantsAfter(after);
            _written[_directory.Superblock.LogEpoch % 2] = after;
            if (_random.Next(10) == 0)
                BeginAnew();
        }

        /// <summary>Closes the pile, whose log counts no more.</summary>
        internal void CheckClean()
        {
            _directory.Superblock.MarkClean(lastVersion: 0);
            CheckRead([]);
        }

        public void Dispose()
        {
            _log.Dispose();
            _directory.Dispose();
        }

        // Of the last write the device has any sectors, or those up to any byte: the batch is whole, or it is not there.
        private void TearLastWrite(byte[] before, byte[] after, (ulong Limit, byte[] Body)[] old)
        {
            int end = after.Length;
            int first = Enumerable.Range(0, end).FirstOrDefault(at => before[at] != after[at], end);
            end = Enumerable.Range(0, end).LastOrDefault(at => before[at] != after[at], first) + 1;
            int cuts = _random.Next(6) == 0 ? end - first : 6; // at every byte now and then, else at some
            for (int cut = 0; cut < cuts; cut++)
            {
                byte[] torn = [.. before];
                int keptBytes = cuts == end - first ? cut : _random.Next(end - first);
                after.AsSpan(0, first + keptBytes).CopyTo(torn);
                Write(torn);
                CheckRead(torn.AsSpan().SequenceEqual(after) ? [.. _durable] : old);
            }
            for (int image = 0; image < 6; image++)
            {
                byte[] torn = [.. before];
                CopySomeSectors(after, torn, first, end);
                Write(torn);
                CheckRead(torn.AsSpan().SequenceEqual(after) ? [.. _durable] : old);
            }
            Write(after);
        }

        private void CopySomeSectors(byte[] from, byte[] to, int first, int end)
        {
            for (int sector = first / SectorBytes; sector <= (end - 1) / SectorBytes; sector++)
            {
                if (_random.Next(2) == 0)
                    from.AsSpan(sector * SectorBytes, SectorBytes).CopyTo(to.AsSpan(sector * SectorBytes));
            }
        }

        // The batches before the one that is hit are there, and it and those behind it are not.
        private void FlipBits(byte[] after)
        {
            int end = _durable.Sum(static batch => FlushLog.HeadBytes + batch.Body.Length);
            for (int image = 0; image < 12; image++)
            {
                int at = _random.Next(end);
                byte[] flipped = [.. after];
                flipped[at] ^= (byte)(1 << _random.Next(8));
                Write(flipped);
                int whole = 0;
                for (int passed = 0; passed + FlushLog.HeadBytes + _durable[whole].Body.Length <= at; whole++)
                    passed += FlushLog.HeadBytes + _durable[whole].Body.Length;
                CheckRead([.. _durable.Take(whole)]);
            }
            Write(after);
        }

        private void CheckInvariantsAfter(byte[] restored)
        {
            Assert.Equal(restored, File.ReadAllBytes(LogPath));
            _log.CheckInvariants();
        }

        // As another owner would: it reads what is there, and then begins the next epoch.
        private void BeginAnew()
        {
            _log.Dispose();
            _log = new FlushLog(_directory, CapacityBytes);
            _log.CheckInvariants();
            CheckRead(_durable);
            byte[] batch = new byte[FlushLog.HeadBytes];
            Assert.Null(_log.Restart(batch, versionLimit: 7, flushedVersion: 0));
            _durable.Clear();
            _durable.Add((7, []));
            _log.CheckInvariants();
            CheckRead(_durable);
            _written[_directory.Superblock.LogEpoch % 2] = File.ReadAllBytes(LogPath);
        }

        // In place: the log holds the file, and knows it by more than its name.
        private void Write(byte[] image)
        {
            using var file = new FileStream(LogPath, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
            file.Write(image);
        }

        private void CheckRead(IReadOnlyCollection<(ulong Limit, byte[] Body)> expected)
        {
            FlushLog.Batch[] read = [.. _log.Read()];
            Assert.Equal(expected.Select(static batch => batch.Limit), read.Select(static batch => batch.VersionLimit));
            for (int i = 0; i < read.Length; i++)
                Assert.True(read[i].Body.Span.SequenceEqual(expected.ElementAt(i).Body), $"batch {i} of {read.Length}");
            Images++;
        }
    }
}
