using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Tests.Failures;

/// <summary>A type that the catalog could not take leaves nothing in it, whatever the device refuses and however the pile ends.</summary>
public sealed class CatalogFaultTests : IDisposable
{
    private static readonly Guid OtherBoot = new("00000000-0000-0000-0000-000000000077");

    private readonly ScratchDirectory _scratch = new();
    private readonly CatalogFaults _faults = new();

    public enum Fault
    {
        WriteNotDone,
        WriteHalfDone,
        WriteDone,
        SyncNotDone,
        SyncDone,
    }

    public enum Cut
    {
        Done,
        Refused,
        DoneAndSaidNotToBe,
        NotWrittenThrough,
    }

    public static TheoryData<Fault, Cut> Faults
    {
        get
        {
            var all = new TheoryData<Fault, Cut>();
            foreach (Fault fault in Enum.GetValues<Fault>())
            {
                foreach (Cut cut in Enum.GetValues<Cut>())
                    all.Add(fault, cut);
            }
            return all;
        }
    }

    private string PilePath => _scratch.At("pile");

    private string CatalogPath => Path.Combine(PilePath, "catalog");

    private long CatalogBytes => new FileInfo(CatalogPath).Length;

    public void Dispose() => _scratch.Dispose();

    [Theory]
    [MemberData(nameof(Faults))]
    public void What_failed_is_cut_off_before_anything_is_durable(Fault fault, Cut cut)
    {
        using Pile pile = Open(PilePath);
        PilePointer first = pile.Put(new List<int> { 1 });
        long lengthBytes = CatalogBytes;
        _faults.Begin(fault, cut);
        string message = Assert.Throws<PileStorageException>(() => pile.Put(new Dictionary<int, string> { [1] = "one" })).Message;
        Assert.Contains(CatalogPath, message, StringComparison.Ordinal);
        Assert.Equal(cut == Cut.Done, message.Contains("Nothing was stored", StringComparison.Ordinal));
        PilePointer text = pile.Put("later");
        CheckCopy(null, first, text); // the record may be there, and nobody refers to it
        if (cut != Cut.Done)
        {
            string refused = Assert.Throws<PileStorageException>(() => pile.Flush()).Message;
            Assert.Contains(CatalogPath, refused, StringComparison.Ordinal);
            Assert.Contains("could not be stored before", refused, StringComparison.Ordinal);
            Assert.Throws<PileStorageException>(() => pile.Put(new List<string> { "another" }));
        }
        _faults.End();
        pile.Flush();
        Assert.Equal(lengthBytes, CatalogBytes);
        CheckCopy(null, first, text);
        CheckCopy(OtherBoot, first, text);
        PilePointer again = pile.Put(new Dictionary<int, string> { [1] = "one" });
        pile.Dispose();
        using Pile reopened = Open(PilePath);
        Assert.True(reopened.Recovery.WasClean);
        Assert.Equal("one", reopened.Get<Dictionary<int, string>>(again)[1]);
        Check(reopened, first, text);
    }

    [Theory]
    [MemberData(nameof(Faults))]
    public void A_pile_does_not_close_as_long_as_the_cut_is_refused(Fault fault, Cut cut)
    {
        Pile pile = Open(PilePath);
        PilePointer first = pile.Put(new List<int> { 1 });
        PilePointer text = pile.Put("later");
        pile.Flush();
        _faults.Begin(fault, cut);
        Assert.Throws<PileStorageException>(() => pile.Put(new Dictionary<int, string> { [1] = "one" }));
        Exception? error = Record.Exception(pile.Dispose);
        _faults.End();
        Assert.Equal(cut == Cut.Done, error == null);
        Assert.True(error == null || error.Message.Contains(CatalogPath, StringComparison.Ordinal));
        using Pile reopened = Open(PilePath);
        Assert.Equal(cut == Cut.Done, reopened.Recovery.WasClean);
        Check(reopened, first, text);
        Assert.Equal("one", reopened.Get<Dictionary<int, string>>(reopened.Put(new Dictionary<int, string> { [1] = "one" }))[1]);
    }

    /// <summary>
    /// Of a record that a killed owner wrote, or had cut off, nobody knows whether the device has it: the next one writes it through, or
    /// that nothing is there, before it counts on it.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_the_superblock_does_not_state_is_written_through_at_opening(bool isStated)
    {
        Pile pile = Open(PilePath);
        pile.Put("text"); // what grows states what the catalog has
        pile.Put(new List<int> { 1 });
        if (isStated)
            pile.Flush();
        string copy = _scratch.At("copy");
        PileFiles.Copy(PilePath, copy); // with nothing that says what the device has
        pile.Dispose();
        long lengthBytes = new FileInfo(Path.Combine(copy, "catalog")).Length;
        Assert.Equal(isStated, lengthBytes == Durability.Superblocks.Read(copy).DurableCatalogBytes);
        _faults.Operations.Clear();
        using Pile reopened = Open(copy);
        int written = _faults.Operations.IndexOf(FileOperation.Write);
        Assert.NotEqual(-1, written);
        Assert.Contains(FileOperation.Sync, _faults.Operations[written..]);
        Assert.Equal(lengthBytes, Durability.Superblocks.Read(copy).DurableCatalogBytes);
    }

    private Pile Open(string path, Guid? boot = null) =>
        Pile.Open(path, new PileOptions
        {
            SegmentBytes = 4 << 20, FlushLogBytes = 1 << 20, FileHook = path == PilePath ? _faults : _faults.Other, BootId = boot,
        });

    private void CheckCopy(Guid? boot, PilePointer first, PilePointer text)
    {
        string copy = _scratch.At("copy");
        KilledPile.Copy(PilePath, copy);
        using (Pile pile = Open(copy, boot))
        {
            Check(pile, first, text);
            Assert.Equal("new", Assert.Single(pile.Get<HashSet<string>>(pile.Put(new HashSet<string> { "new" }))));
        }
        using (Pile pile = Open(copy))
            Check(pile, first, text);
        Directory.Delete(copy, recursive: true);
    }

    private static void Check(Pile pile, PilePointer first, PilePointer text)
    {
        Assert.Equal([1], pile.Get<List<int>>(first));
        Assert.Equal("later", pile.Get(text));
    }

    /// <summary>Lets operations on the catalog fail, from one on until it is mended.</summary>
    private sealed class CatalogFaults : IFileHook
    {
        private Fault? _fault;
        private Cut _cut;
        private bool _hasFailed;
        private bool _hasCut;

        internal List<FileOperation> Operations { get; private init; } = [];

        /// <summary>Notes the operations on other copies, and lets none fail.</summary>
        internal CatalogFaults Other => new() { Operations = Operations };

        internal void Begin(Fault fault, Cut cut) => (_fault, _cut, _hasFailed, _hasCut) = (fault, cut, false, false);

        internal void End() => _fault = null;

        public void Before(FileOperation operation, string path)
        {
            if (!path.EndsWith("catalog", StringComparison.Ordinal))
                return;
            Operations.Add(operation);
            if (_fault == null)
                return;
            bool fails = !_hasFailed
                ? (operation == FileOperation.Write && _fault == Fault.WriteNotDone)
                    || (operation == FileOperation.Sync && _fault == Fault.SyncNotDone)
                : (operation == FileOperation.SetLength && _cut == Cut.Refused)
                    || (operation == FileOperation.Sync && _hasCut && _cut == Cut.NotWrittenThrough);
            _hasCut |= operation == FileOperation.SetLength;
            if (fails)
                throw Error(path);
        }

        public int Tear(string path, int lengthBytes)
        {
            bool isTorn = _fault == Fault.WriteHalfDone && !_hasFailed && path.EndsWith("catalog", StringComparison.Ordinal);
            _hasFailed |= isTorn;
            return isTorn ? lengthBytes / 2 : lengthBytes;
        }

        public void After(FileOperation operation, string path)
        {
            if (_fault == null || !path.EndsWith("catalog", StringComparison.Ordinal))
                return;
            bool fails = !_hasFailed
                ? (operation == FileOperation.Write && _fault == Fault.WriteDone)
                    || (operation == FileOperation.Sync && _fault == Fault.SyncDone)
                : operation == FileOperation.SetLength && _cut == Cut.DoneAndSaidNotToBe;
            if (fails)
                throw Error(path);
        }

        private IOException Error(string path)
        {
            _hasFailed = true;
            return new IOException($"'{path}': input/output error.", 5);
        }
    }
}
