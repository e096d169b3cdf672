using System;
using System.Collections.Concurrent;
using System.Globalization;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace BigPile.Benchmarks;

/// <summary>A column with the bytes that a benchmark writes, as recorded by its class.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class BytesColumnAttribute() : ColumnConfigBaseAttribute(new BytesColumn())
{
    private static readonly ConcurrentDictionary<(Type, string), double> Recorded = new();

    /// <summary>Records the bytes for a benchmark object, whose type may be generated from the class to run it.</summary>
    internal static void Record(object benchmarks, string benchmark, double bytes)
    {
        Type type = benchmarks.GetType();
        while (type.Assembly != typeof(BytesColumnAttribute).Assembly)
            type = type.BaseType!;
        Recorded[(type, benchmark)] = bytes;
    }

    private sealed class BytesColumn : IColumn
    {
        public string Id => nameof(BytesColumn);

        public string ColumnName => "Bytes";

        public bool AlwaysShow => true;

        public ColumnCategory Category => ColumnCategory.Custom;

        public int PriorityInCategory => 0;

        public bool IsNumeric => true;

        public UnitType UnitType => UnitType.Dimensionless;

        public string Legend => "What is written, in the mean";

        public string GetValue(Summary summary, BenchmarkCase benchmarkCase)
        {
            Descriptor benchmark = benchmarkCase.Descriptor;
            return Recorded.TryGetValue((benchmark.Type, benchmark.WorkloadMethod.Name), out double bytes)
                ? bytes.ToString("N1", CultureInfo.InvariantCulture)
                : "";
        }

        public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) => GetValue(summary, benchmarkCase);

        public bool IsAvailable(Summary summary) => true;

        public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;
    }
}
