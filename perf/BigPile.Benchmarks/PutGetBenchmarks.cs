using System.Collections.Concurrent;
using System.Collections.Generic;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;

namespace BigPile.Benchmarks;

/// <summary>What does it cost to keep objects in a pile instead of a dictionary: to replace one, and to get one?</summary>
/// <remarks>
/// A million objects in random order. A put creates a new object and stores it in place of an old one, on each side; the collector's work
/// for live objects is in the time. A get from a dictionary returns the existing object, one from a pile a new one: the price of not having
/// it on the managed heap. Every object is read.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public class PutGetBenchmarks
{
    private static readonly int Count = Jobs.Sized(1_000_000);
    private const int PoolSize = 1024;
    private const int TextLength = 32;

    private readonly Person[] _pool = Person.Pool(PoolSize, seed: 1);
    private readonly char[] _letters = new string('x', TextLength).ToCharArray();
    private readonly Shuffled _order = new(Count);
    private Dictionary<long, object> _dictionary = [];
    private ConcurrentDictionary<long, object> _concurrent = [];
    private PilePointer[] _pointers = [];
    private Pile? _pile;

    /// <summary>Fills a dictionary with persons.</summary>
    [GlobalSetup(Targets = [nameof(DictionaryPutPerson), nameof(DictionaryGetPerson)])]
    public void FillDictionaryWithPersons() => FillDictionary(isText: false);

    /// <summary>Fills a dictionary with texts.</summary>
    [GlobalSetup(Targets = [nameof(DictionaryPutText), nameof(DictionaryGetText)])]
    public void FillDictionaryWithTexts() => FillDictionary(isText: true);

    /// <summary>Fills a concurrent dictionary with persons.</summary>
    [GlobalSetup(Targets = [nameof(ConcurrentPutPerson), nameof(ConcurrentGetPerson)])]
    public void FillConcurrentWithPersons() => FillConcurrent(isText: false);

    /// <summary>Fills a concurrent dictionary with texts.</summary>
    [GlobalSetup(Targets = [nameof(ConcurrentPutText), nameof(ConcurrentGetText)])]
    public void FillConcurrentWithTexts() => FillConcurrent(isText: true);

    /// <summary>Fills a pile with persons.</summary>
    [GlobalSetup(Targets = [nameof(PilePutPerson), nameof(PileGetPerson)])]
    public void FillPileWithPersons() => FillPile(isText: false);

    /// <summary>Fills a pile with texts.</summary>
    [GlobalSetup(Targets = [nameof(PilePutText), nameof(PileGetText)])]
    public void FillPileWithTexts() => FillPile(isText: true);

    /// <summary>Releases everything.</summary>
    [GlobalCleanup]
    public void End()
    {
        _pile?.Dispose();
        _dictionary = [];
        _concurrent = [];
        _pointers = [];
    }

    /// <summary>Puts a person into a dictionary.</summary>
    [BenchmarkCategory("PutPerson"), Benchmark(Baseline = true)]
    public void DictionaryPutPerson()
    {
        int key = _order.Next();
        _dictionary[key] = NewPerson(key);
    }

    /// <summary>Puts a person into a concurrent dictionary.</summary>
    [BenchmarkCategory("PutPerson"), Benchmark]
    public void ConcurrentPutPerson()
    {
        int key = _order.Next();
        _concurrent[key] = NewPerson(key);
    }

    /// <summary>Puts a person into a pile.</summary>
    [BenchmarkCategory("PutPerson"), Benchmark]
    public void PilePutPerson()
    {
        int key = _order.Next();
        _pile!.Delete(_pointers[key]);
        _pointers[key] = _pile.Put(NewPerson(key));
    }

    /// <summary>Gets a person from a dictionary.</summary>
    [BenchmarkCategory("GetPerson"), Benchmark(Baseline = true)]
    public long DictionaryGetPerson() => Consume((Person)_dictionary[_order.Next()]);

    /// <summary>Gets a person from a concurrent dictionary.</summary>
    [BenchmarkCategory("GetPerson"), Benchmark]
    public long ConcurrentGetPerson() => Consume((Person)_concurrent[_order.Next()]);

    /// <summary>Gets a person from a pile.</summary>
    [BenchmarkCategory("GetPerson"), Benchmark]
    public long PileGetPerson() => Consume(_pile!.Get<Person>(_pointers[_order.Next()]));

    /// <summary>Puts a text into a dictionary.</summary>
    [BenchmarkCategory("PutText"), Benchmark(Baseline = true)]
    public void DictionaryPutText()
    {
        int key = _order.Next();
        _dictionary[key] = NewText(key);
    }

    /// <summary>Puts a text into a concurrent dictionary.</summary>
    [BenchmarkCategory("PutText"), Benchmark]
    public void ConcurrentPutText()
    {
        int key = _order.Next();
        _concurrent[key] = NewText(key);
    }

    /// <summary>Puts a text into a pile.</summary>
    [BenchmarkCategory("PutText"), Benchmark]
    public void PilePutText()
    {
        int key = _order.Next();
        _pile!.Delete(_pointers[key]);
        _pointers[key] = _pile.Put(NewText(key));
    }

    /// <summary>Gets a text from a dictionary.</summary>
    [BenchmarkCategory("GetText"), Benchmark(Baseline = true)]
    public int DictionaryGetText() => Consume((string)_dictionary[_order.Next()]);

    /// <summary>Gets a text from a concurrent dictionary.</summary>
    [BenchmarkCategory("GetText"), Benchmark]
    public int ConcurrentGetText() => Consume((string)_concurrent[_order.Next()]);

    /// <summary>Gets a text from a pile.</summary>
    [BenchmarkCategory("GetText"), Benchmark]
    public int PileGetText() => Consume(_pile!.Get<string>(_pointers[_order.Next()]));

    private static long Consume(Person person) => person.Id + person.Grade + person.LastName.Length;

    private static int Consume(string text) => text[0] + text[^1];

    private Person NewPerson(int key) => _pool[key & (PoolSize - 1)].Copy();

    private string NewText(int key)
    {
        _letters[0] = (char)('0' + (key & 63));
        return new string(_letters);
    }

    private object New(int key, bool isText) => isText ? NewText(key) : NewPerson(key);

    private void FillDictionary(bool isText)
    {
        for (int key = 0; key < Count; key++)
            _dictionary[key] = New(key, isText);
    }

    private void FillConcurrent(bool isText)
    {
        for (int key = 0; key < Count; key++)
            _concurrent[key] = New(key, isText);
    }

    private void FillPile(bool isText)
    {
        _pile = new Pile();
        _pointers = new PilePointer[Count];
        for (int key = 0; key < Count; key++)
            _pointers[key] = isText ? _pile.Put(NewText(key)) : _pile.Put(NewPerson(key));
    }
}
