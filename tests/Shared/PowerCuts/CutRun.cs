using System;
using System.IO;
using System.Threading;

namespace BigPile.Testing;

/// <summary>Lives of one pile by one seed: changes, flushes, ends of all kinds, and power cuts in between and in the middle.</summary>
internal sealed class CutRun<T> : IDisposable
    where T : class, IDisposable
{
    private const int MostWaiting = 2;

    private readonly int _seed;
    private readonly int _threadId = Environment.CurrentManagedThreadId;
    private readonly CutSubject<T> _subject;
    private readonly Random _random;
    private readonly ScratchDirectory _scratch = new();
    private readonly SimulatedDisk _disk;
    private readonly CutImages<T> _images;
    private string _directory;
    private Guid _boot;
    private T _opened;
    private int _round;
    private int _lives;
    private bool _isFlushing;
    private bool _refuses;
    private bool _wasRefused;
    private bool _hasWritten;
    private long _outOfSpaceBefore;

    internal CutRun(int seed, CutSubject<T> subject)
    {
        _seed = seed;
        _subject = subject;
        _random = subject.Random;
        _images = new CutImages<T>(subject, _scratch);
        _directory = _scratch.At("life0");
        _disk = new SimulatedDisk(_directory, _random);
        _boot = subject.NewBoot();
        _opened = subject.Open(_directory, _boot, _disk);
        subject.AfterStart(_opened);
        _disk.Refuses = OnRefuses;
        _disk.Passing = OnPassing;
        subject.Log.Beginning = CheckImages;
    }

    public void Dispose()
    {
        _subject.Log.Beginning = null;
        _subject.BeforeEnd();
        _disk.Passing = null;
        _opened.Dispose();
        _subject.Tally.DirtySectors += _disk.DirtyCount;
        _subject.Tally.LostSectors += _disk.LostCount;
        _subject.Tally.OutOfSpace += _disk.OutOfSpaceCount;
        _disk.Forget();
        _scratch.Dispose();
        GC.Collect(); // the copies of files are large, and come faster than the collector does by itself
    }

    /// <summary>Runs, and adds failures to the tally.</summary>
    internal void Run(int rounds)
    {
        try
        {
            for (_round = 0; _round < rounds; _round++)
                RunRound();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            _subject.Tally.Find("failed", $"{Where("in a step")}: {e}");
        }
    }

    private void RunRound()
    {
        _subject.Burst(_opened);
        if (_random.Next(2) == 0)
            _disk.WriteBack();
        if (_random.Next(3) == 0)
            Flush();
        if (_subject.Endings.Length != 0 && _random.Next(4) == 0)
            End(_subject.Endings[_random.Next(_subject.Endings.Length)]);
        if (_random.Next(2) == 0)
            _images.Add(_disk, Where("cut between two steps"));
        _images.CheckAll();
    }

    private void Flush()
    {
        int begin = _subject.BeginFlush();
        _refuses = _subject.Refuses && _random.Next(2) == 0;
        _wasRefused = false;
        _hasWritten = false;
        _outOfSpaceBefore = _disk.OutOfSpaceCount;
        _disk.IsFull = _subject.FillsDisk && _random.Next(2) == 0;
        _subject.Log.Add(_disk.IsFull ? "flush without room" : "flush");
        _isFlushing = true;
        try
        {
            // A flush that comes by itself may find another one at work, and leaves all to it.
            _hasWritten |= _subject.Flush(_opened);
        }
        catch (Exception e) when (_wasRefused && _subject.IsRefusal(e))
        {
            _subject.Log.Add("refused");
        }
        finally
        {
            _isFlushing = false;
            _refuses = false;
            _disk.IsFull = false;
        }
        _images.CheckAll(); // they fell into the flush: what it makes durable is not promised before it returns
        if (!_wasRefused && _hasWritten)
            _subject.EndFlush(begin);
    }

    private void End(CutEnding ending)
    {
        _subject.BeforeEnd();
        _subject.Log.Add(ending.ToString());
        switch (ending)
        {
            case CutEnding.Restart:
                Restart();
                break;
            case CutEnding.PowerCut:
                GoOnAt(directory => _disk.GoDown(directory, CutImages<T>.AnyKind(_random)), _subject.NewBoot(), keepsAll: false);
                break;
            case CutEnding.OtherBoot when _subject.KnowsBoots:
                // Of what the device refused, and the system took for written, nothing is left to be read after a start of the machine.
                _subject.HoldStill(_opened);
                GoOnAt(directory => _disk.GoDown(directory, CutKind.Everything), _subject.NewBoot(), keepsAll: false);
                break;
            default:
                bool keepsAll = ending == CutEnding.Kill && _subject.KnowsBoots;
                _subject.HoldStill(_opened);
                GoOnAt(directory => Kill(directory, _directory), keepsAll ? _boot : _subject.NewBoot(), keepsAll);
                break;
        }
        _subject.AfterStart(_opened);
    }

    private void Restart()
    {
        int begin = _subject.BeginFlush();
        _disk.IsFull = _subject.FillsDisk && _random.Next(2) == 0;
        _opened.Dispose();
        _disk.IsFull = false;
        _images.CheckAll();
        _subject.EndFlush(begin);
        if (_random.Next(2) == 0)
            _images.Add(_disk, Where("cut when closed"));
        _images.CheckAll();
        _boot = _random.Next(2) == 0 ? _boot : _subject.NewBoot();
        LiveBriefly();
        _opened = _subject.Open(_directory, _boot, _disk);
        _subject.CheckAll(_opened, Where("closed and opened"));
    }

    private void Kill(string directory, string old)
    {
        _subject.CopyKilled(old, directory);
        _disk.MoveTo(directory);
    }

    private void GoOnAt(Action<string> end, Guid boot, bool keepsAll)
    {
        string directory = _scratch.At($"life{++_lives}");
        end(directory);
        _opened.Dispose();
        Directory.Delete(_directory, recursive: true);
        _directory = directory;
        _boot = boot;
        LiveBriefly();
        _opened = _subject.Open(_directory, _boot, _disk);
        if (keepsAll)
        {
            _subject.CheckAll(_opened, Where("killed and opened"));
            return;
        }
        _subject.CheckCut(_opened, Where("cut, and going on"));
        _subject.ContinueFrom(_opened);
    }

    // Lives that end before a check, and before their recovery has ended.
    private void LiveBriefly()
    {
        while (_random.Next(3) == 0)
        {
            bool isClosed = _random.Next(3) == 0 || !_subject.KnowsBoots;
            _subject.Log.Add(isClosed ? "open and close" : "open and kill");
            string old = _directory;
            using (_subject.OpenBriefly(_directory, _boot, _disk))
            {
                if (!isClosed)
                    Kill(_directory = _scratch.At($"life{++_lives}"), old);
            }
            if (!isClosed)
                Directory.Delete(old, recursive: true);
        }
    }

    // Images from within a step are checked once the model knows that step, and no later one.
    private void CheckImages()
    {
        if (!_isFlushing)
            _images.CheckAll();
    }

    private bool OnRefuses(string? name)
    {
        bool isRefused = _refuses && _random.Next(3) == 0;
        _wasRefused |= isRefused;
        if (isRefused)
            _subject.Log.Add($"refuse {name ?? "the directory"}");
        return isRefused;
    }

    private void OnPassing(string? name, bool isDone)
    {
        if (Environment.CurrentManagedThreadId != _threadId)
            return; // work in the background is cut by chance, when something else is
        _hasWritten |= isDone;
        bool isMapped = name != null && SectorMap.IsMapped(name);
        bool waits = _disk.OutOfSpaceCount != _outOfSpaceBefore; // a flush without a log blocks writers
        if (_subject.StepsDuringCheckpoint && _isFlushing && !waits && isMapped && !isDone && _random.Next(2) == 0)
            StepMeanwhile();
        if (_images.Count < MostWaiting && _random.Next(10) == 0)
            _images.Add(_disk, Where($"cut {(isDone ? "after" : "before")} the sync of {name ?? "the directory"}"));
    }

    // By another thread: the flushing one is inside of locks that changes may need.
    private void StepMeanwhile()
    {
        _subject.Log.Add("meanwhile");
        var thread = new Thread(() => _subject.StepWhileFlushing(_opened));
        thread.Start();
        Assert.True(thread.Join(Eventually.Timeout), "a change waited for the device");
    }

    private string Where(string what) => $"seed {_seed}, round {_round}, {what} (after {_subject.Log})";
}
