using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Testing;

/// <summary>The disk below a pile's directory: knows what was written through, and builds what a power cut may leave.</summary>
/// <remarks>
/// <para>
/// Nothing is on the disk but what was written through, and what the system happened to write back by itself (<see cref="WriteBack"/>): any
/// sectors of any file, at any time and in any order. Whether a file has a name, and how long it is, is known only from a write-through of
/// the directory or the file on; before that a new file may be missing, and a removed one may be there. What of all that a cut leaves is
/// drawn, by its kind; a test that needs one exact state says it to <c>DurableFiles</c>, which has the same files and none of the rest.
/// </para>
/// <para>Thread safety: all members may be called concurrently.</para>
/// </remarks>
internal sealed class SimulatedDisk : IFileHook
{
    private const int NoSpaceLeft = 28;

    private readonly Lock _lock = new();
    private readonly Random _random;
    private readonly Dictionary<string, SimulatedFile> _files = [];
    private readonly HashSet<string> _durableNames = [];
    // until the directory is written through the disk may have these by their names
    private readonly Dictionary<string, SimulatedFile> _replaced = [];
    private string _directory;

    /// <summary>Watches a directory; all that is in it is on the disk.</summary>
    internal SimulatedDisk(string directory, Random random)
    {
        _directory = directory;
        _random = random;
        Directory.CreateDirectory(directory);
        lock (_lock)
            TakeAllLocked();
    }

    /// <summary>Asked before a write-through whether the device refuses it; gets the file's name, or none for the directory.</summary>
    internal Func<string?, bool>? Refuses { get; set; }

    /// <summary>Whether there is no space for the flush log: neither for its files, nor for what is written to them.</summary>
    internal bool IsFull { get; set; }

    /// <summary>How often there was none.</summary>
    internal long OutOfSpaceCount { get; private set; }

    /// <summary>Called before a write-through, and again once it is done: the power may be cut here.</summary>
    internal Action<string?, bool>? Passing { get; set; }

    internal long DirtyCount { get; private set; }

    internal long LostCount { get; private set; }

    /// <summary>Goes on with a copy of the directory, as it is after a kill: the disk has what it had.</summary>
    internal void MoveTo(string directory)
    {
        lock (_lock)
            _directory = directory;
    }

    /// <summary>Lets the system write some pages back by itself.</summary>
    internal void WriteBack()
    {
        lock (_lock)
        {
            List<DirtySector> dirty = FindDirtyLocked();
            Predicate<DirtySector> reached = SectorChoice.Of(CutKind.Pages, dirty, _random);
            dirty.FindAll(reached).ForEach(static sector => sector.File.Reach(sector.Offset));
        }
    }

    /// <summary>Forgets the files, so that references to the disk keep nothing large alive.</summary>
    internal void Forget()
    {
        lock (_lock)
        {
            _files.Clear();
            _directory = "";
        }
    }

    /// <summary>Cuts the power.</summary>
    /// <param name="image">The directory to make: what is on the disk.</param>
    /// <param name="kind">What of the rest reached it.</param>
    internal void Cut(string image, CutKind kind)
    {
        if (Directory.Exists(image))
            Directory.Delete(image, recursive: true);
        Directory.CreateDirectory(image);
        lock (_lock)
        {
            List<DirtySector> dirty = FindDirtyLocked();
            ILookup<SimulatedFile, int> reached = dirty.FindAll(SectorChoice.Of(kind, dirty, _random))
                .ToLookup(static sector => sector.File, static sector => sector.Offset);
            DirtyCount += dirty.Count;
            LostCount += dirty.Count - reached.Sum(static file => file.Count());
            foreach (SimulatedFile file in _files.Values)
            {
                if (_replaced.TryGetValue(file.Name, out SimulatedFile? before) && !IsReplacedLocked(kind))
                    before.WriteCut(image, before.Device.Length, []);
                else if (before != null || IsNamedLocked(file, kind))
                    file.WriteCut(image, LengthOf(file, kind), reached[file]);
            }
        }
    }

    /// <summary>Cuts the power for good, and goes on with what is on the disk.</summary>
    internal void GoDown(string directory, CutKind kind)
    {
        lock (_lock)
        {
            Cut(directory, kind);
            _directory = directory;
            _files.Clear();
            TakeAllLocked();
        }
    }

    private void TakeAllLocked()
    {
        ScanLocked();
        foreach (SimulatedFile file in _files.Values)
            file.WriteThrough();
        _durableNames.Clear();
        _durableNames.UnionWith(_files.Keys);
        _replaced.Clear();
    }

    /// <inheritdoc/>
    public void Before(FileOperation operation, string path)
    {
        if (!IsHere(path, out string? name))
            return;
        if (IsFull && operation is (FileOperation.Create or FileOperation.Allocate or FileOperation.Write)
            && name?.StartsWith("log-", StringComparison.Ordinal) == true)
        {
            OutOfSpaceCount++;
            throw new IOException($"'{path}' got no room (made up by a test).", NoSpaceLeft);
        }
        if (!IsSync(operation))
            return;
        Passing?.Invoke(name, false);
        if (Refuses?.Invoke(name) == true)
            Refuse(path, name);
        lock (_lock)
            ScanLocked(name); // what is stored while the device writes may or may not be on it
    }

    /// <inheritdoc/>
    public void After(FileOperation operation, string path)
    {
        if (!IsHere(path, out string? name))
            return;
        lock (_lock)
        {
            if (operation == FileOperation.Rename)
                RenameLocked(name!);
            else if (operation == FileOperation.Write && name != null && _files.TryGetValue(name, out SimulatedFile? file))
                file.Forgive();
            if (IsSync(operation))
                MarkDurableLocked(name);
        }
        if (IsSync(operation))
            Passing?.Invoke(name, true);
    }

    private static bool IsSync(FileOperation operation) => operation is FileOperation.Sync or FileOperation.SyncDirectory;

    // No name: the directory itself.
    private bool IsHere(string path, out string? name)
    {
        name = path == _directory ? null : Path.GetFileName(path);
        return name == null || Path.GetDirectoryName(path) == _directory;
    }

    // Under the new name lies the new file; what had the name before may be there still as long as the directory was not written through.
    private void RenameLocked(string unfinished)
    {
        string name = Path.GetFileNameWithoutExtension(unfinished);
        if (_files.Remove(name, out SimulatedFile? before) && _durableNames.Contains(name))
            _replaced[name] = before;
        if (_files.Remove(unfinished, out SimulatedFile? file))
            _files[name] = file.As(name);
        _durableNames.Remove(name);
    }

    // Stores through a map that make a page dirty again without changing it can't be seen, so mapped files are written all the same.
    private void Refuse(string path, string? name)
    {
        WriteBack();
        lock (_lock)
        {
            if (name != null && _files.TryGetValue(name, out SimulatedFile? file) && !file.IsMapped)
                file.Refuse();
        }
        throw new IOException($"'{path}' was refused by the device (made up by a test).");
    }

    private void MarkDurableLocked(string? name)
    {
        if (name == null)
        {
            _durableNames.Clear();
            _durableNames.UnionWith(NamesIn(_directory));
            _replaced.Clear();
            foreach (string gone in _files.Keys.Except(_durableNames).ToArray())
                _files.Remove(gone);
        }
        else if (_files.TryGetValue(name, out SimulatedFile? file) && file.Exists)
        {
            file.WriteThrough();
        }
    }

    private bool IsReplacedLocked(CutKind kind) => kind == CutKind.Everything || (kind != CutKind.Nothing && _random.Next(2) == 0);

    // Where the pile itself has no durable name yet, nothing was promised, and the names come as they were given.
    private bool IsNamedLocked(SimulatedFile file, CutKind kind)
    {
        bool isDurable = _durableNames.Contains(file.Name);
        if (isDurable && file.Exists)
            return true;
        if (!isDurable && !file.Exists)
            return false;
        if (kind is CutKind.Nothing or CutKind.Everything || !_durableNames.Contains(SectorMap.Anchor))
            return kind == CutKind.Nothing ? isDurable : file.Exists;
        return _random.Next(2) == 0;
    }

    private int LengthOf(SimulatedFile file, CutKind kind)
    {
        int before = file.Device.Length;
        int after = file.Exists ? file.Now.Length : before;
        if (before == after || kind is CutKind.Nothing or CutKind.Everything)
            return kind == CutKind.Everything ? after : before;
        return _random.Next(3) switch
        {
            0 => before,
            1 => after,
            _ => _random.Next(Math.Min(before, after), Math.Max(before, after)),
        };
    }

    private List<DirtySector> FindDirtyLocked()
    {
        ScanLocked();
        var dirty = new List<DirtySector>();
        foreach (SimulatedFile file in _files.Values.OrderBy(static file => file.Name, StringComparer.Ordinal))
            file.AddDirty(dirty);
        return dirty;
    }

    private void ScanLocked(string? only = null)
    {
        foreach (string name in only == null ? NamesIn(_directory).Union(_files.Keys).ToArray() : [only])
        {
            if (!_files.TryGetValue(name, out SimulatedFile? file))
                _files[name] = file = new SimulatedFile(name);
            file.Scan(_directory);
        }
    }

    // The lock and its owner's number belong to a living process.
    private static IEnumerable<string> NamesIn(string directory) =>
        Directory.GetFiles(directory).Select(static path => Path.GetFileName(path)).Where(static name => name is not ("lock" or "owner"));
}
