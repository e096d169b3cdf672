using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Torture.Journals;

/// <summary>Counts and prints what is lost, wrong or leaked.</summary>
internal sealed unsafe class Findings(Journal journal)
{
    private const int PrintedOfEach = 5;

    private readonly Dictionary<string, int> _seen = [];
    private readonly Lock _lock = new();

    internal void Lost(string what, string where) => Add(ref journal.Head->Lost, "LOST", what, where);

    internal void Wrong(string what, string where) => Add(ref journal.Head->Wrong, "WRONG", what, where);

    internal void Leaked(string what, string where) => Add(ref journal.Head->Leaked, "LEAKED", what, where);

    private void Add(ref long sum, string word, string what, string where)
    {
        Interlocked.Increment(ref sum);
        lock (_lock)
        {
            int before = _seen.GetValueOrDefault(what);
            _seen[what] = before + 1;
            if (before < PrintedOfEach)
                Console.WriteLine($"  {word}: {what}: {where}");
            else if (before == PrintedOfEach)
                Console.WriteLine($"  {word}: {what}: and more of the same");
        }
    }
}
