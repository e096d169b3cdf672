using System;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Linq;
using System.Reflection;

namespace BigPile.Codec;

/// <summary>Chooses how each type is written and read.</summary>
internal sealed class ModelFactory(ModelCache models, PileCodecOptions options)
{
    /// <summary>Generic collections and the models that know them; type arguments and elements correspond.</summary>
    private static readonly Dictionary<Type, Type> Collections = new()
    {
        [typeof(List<>)] = typeof(ListModel<>),
        [typeof(Dictionary<,>)] = typeof(DictionaryModel<,>),
        [typeof(HashSet<>)] = typeof(HashSetModel<>),
        [typeof(Queue<>)] = typeof(QueueModel<>),
        [typeof(Stack<>)] = typeof(StackModel<>),
        [typeof(LinkedList<>)] = typeof(LinkedListModel<>),
        [typeof(SortedSet<>)] = typeof(SortedSetModel<>),
        [typeof(SortedDictionary<,>)] = typeof(SortedDictionaryModel<,>),
        [typeof(SortedList<,>)] = typeof(SortedListModel<,>),
        [typeof(PriorityQueue<,>)] = typeof(PriorityQueueModel<,>),
        [typeof(ConcurrentDictionary<,>)] = typeof(ConcurrentDictionaryModel<,>),
        [typeof(ConcurrentQueue<>)] = typeof(ConcurrentQueueModel<>),
        [typeof(ConcurrentStack<>)] = typeof(ConcurrentStackModel<>),
        [typeof(ConcurrentBag<>)] = typeof(ConcurrentBagModel<>),
        [typeof(Collection<>)] = typeof(CollectionModel<>),
        [typeof(ObservableCollection<>)] = typeof(ObservableCollectionModel<>),
        [typeof(ReadOnlyCollection<>)] = typeof(ReadOnlyCollectionModel<>),
        [typeof(ReadOnlyDictionary<,>)] = typeof(ReadOnlyDictionaryModel<,>),
        [typeof(ImmutableList<>)] = typeof(ImmutableListModel<>),
        [typeof(ImmutableQueue<>)] = typeof(ImmutableQueueModel<>),
        [typeof(ImmutableStack<>)] = typeof(ImmutableStackModel<>),
        [typeof(ImmutableHashSet<>)] = typeof(ImmutableHashSetModel<>),
        [typeof(ImmutableSortedSet<>)] = typeof(ImmutableSortedSetModel<>),
        [typeof(ImmutableDictionary<,>)] = typeof(ImmutableDictionaryModel<,>),
        [typeof(ImmutableSortedDictionary<,>)] = typeof(ImmutableSortedDictionaryModel<,>),
        [typeof(FrozenDictionary<,>)] = typeof(FrozenDictionaryModel<,>),
        [typeof(FrozenSet<>)] = typeof(FrozenSetModel<>),
    };

    /// <summary>The base class library's types that are made here.</summary>
    public static IEnumerable<Type> KnownTypes => [.. Collections.Keys, .. TextModels.Types];

    public Slot MakeSlot(Type declared)
    {
        if (declared == typeof(string))
            return new StringSlot();
        if (LeafSlots.TryGet(declared, out Slot? leaf))
            return leaf!;
        if (declared.IsEnum)
            return models.SlotFor(declared.GetEnumUnderlyingType());
        if (declared.IsConstructedGenericType && declared.GetGenericTypeDefinition() == typeof(ImmutableArray<>))
            return models.SlotFor(declared.GetGenericArguments()[0].MakeArrayType());
        if (declared.IsPointer || declared.IsFunctionPointer)
            return new RefusedSlot(declared);
        if (declared.IsValueType)
            return MakeValueSlot(declared);
        return UnionSlot.ListOf(declared).Any() ? MakeUnion(declared) : new ReferenceSlot(declared, models);
    }

    public TypeModel MakeModel(Type type)
    {
        try
        {
            return MakeAnyModel(type);
        }
        catch (RefusedException e)
        {
            return new RefusedModel(type, e.Message, models);
        }
    }

    private TypeModel MakeAnyModel(Type type)
    {
        if (StorableTypes.WhyNot(type) is not null)
            return new RefusedModel(type, StorableTypes.WhyRefused(type), models);
        if (type.IsValueType)
            return MakeBoxed(type);
        if (type.IsArray && (type.GetElementType()!.IsPointer || type.GetElementType()!.IsFunctionPointer))
            return new RefusedModel(type, Reason(type.GetElementType()!), models);
        if (TextModels.PublicType(type) is { } text)
            return TextModels.Make(text, models);
        if (FrozenBase(type) is { } frozen)
            type = frozen;
        if (IsContainer(type))
            return MakeContainer(type, ElementSlots(type))!;
        if (!MayUseFields(type, out string? reason))
            return new RefusedModel(type, reason!, models);
        return ContainerBase(type) is { } part ? MakeDerived(type, part) : MakeFields(type);
    }

    public bool CanBeExact(Type declared) =>
        !declared.IsAbstract && declared != typeof(object) && StorableTypes.WhyNot(declared) is null && IsSupported(declared);

    /// <summary>Whether objects of a type can be made from nothing and filled field by field.</summary>
    public bool IsMadeOfFields(Type type) =>
        !type.IsAbstract && !type.IsArray && !type.IsEnum && StorableTypes.WhyNot(type) is null && MayUseFields(type, out _);

    private bool IsSupported(Type type)
    {
        if (type == typeof(string) || TextModels.PublicType(type) is not null || IsContainer(type))
            return true;
        return MayUseFields(type, out _);
    }

    // The class of a frozen collection follows from its content, and is none of the public ones.
    private static Type? FrozenBase(Type type)
    {
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (level.IsConstructedGenericType && level.GetGenericTypeDefinition() is var definition
                && (definition == typeof(FrozenDictionary<,>) || definition == typeof(FrozenSet<>)))
                return level;
        }
        return null;
    }

    /// <summary>The collection of the base class library that a class derives from, if any.</summary>
    public static Type? ContainerBase(Type type)
    {
        Type? level = type.BaseType;
        while (level is not null && !IsContainer(level))
            level = level.BaseType;
        return level;
    }

    /// <summary>Arrays, and the collections of the base class library.</summary>
    public static bool IsContainer(Type type) =>
        type.IsArray || (type.IsConstructedGenericType && Collections.ContainsKey(type.GetGenericTypeDefinition()));

    private UnionSlot MakeUnion(Type declared) =>
        new(declared, UnionSlot.ListOf(declared).Select(m => (m.Key, m.Type, models.SlotFor(m.Type))), models);

    private Slot MakeValueSlot(Type declared)
    {
        if (Nullable.GetUnderlyingType(declared) is { } inner)
            return MakeNullable(inner, models.SlotFor(inner));
        if (StorableTypes.WhyNot(declared) is not null || !MayUseFields(declared, out _))
            return new RefusedSlot(declared);
        return IsNamed(declared) ? new NamedStructSlot(new NamedFields(declared, MakePlans(declared))) : new StructSlot(MakeFieldList(declared));
    }

    private TypeModel MakeBoxed(Type type) => models.SlotFor(type) switch
    {
        StructSlot structure => new FieldsModel(type, structure.Fields, models),
        NamedStructSlot structure => new NamedFieldsModel(type, structure.Fields, models),
        RefusedSlot => new RefusedModel(type, Reason(type), models),
        var slot => new BoxedModel(type, slot, models),
    };

    /// <summary>The model of an array or a collection over given places for its elements; null when the type is neither.</summary>
    public TypeModel? MakeContainer(Type type, Slot[] slots)
    {
        if (type.IsSZArray)
            return (TypeModel)Make(typeof(ArrayModel<>), [type.GetElementType()!], type, slots[0], models);
        if (type.IsArray)
            return new DimensionedArrayModel(type, slots[0], models);
        if (!type.IsConstructedGenericType || !Collections.TryGetValue(type.GetGenericTypeDefinition(), out Type? model))
            return null;
        return (TypeModel)Make(model, type.GetGenericArguments(), [type, .. slots, models]);
    }

    public static Slot MakeNullable(Type inner, Slot slot) => (Slot)Make(typeof(NullableSlot<>), [inner], slot);

    /// <summary>The types of what a container holds, in the order of its model's slots.</summary>
    public static Type[] ElementTypes(Type type) => type.IsArray ? [type.GetElementType()!] : type.GetGenericArguments();

    private Slot[] ElementSlots(Type type) => Array.ConvertAll(ElementTypes(type), models.SlotFor);

    private DerivedCollectionModel MakeDerived(Type type, Type part) =>
        new(type, (ContainerModel)models.ForType(part), MakeFieldList(type, part), models);

    private TypeModel MakeFields(Type type) => IsNamed(type)
        ? new NamedFieldsModel(type, new NamedFields(type, MakePlans(type)), models)
        : new FieldsModel(type, MakeFieldList(type), models);

    private FieldList MakeFieldList(Type type, Type? stopAt = null) => new(type, MakePlans(type, stopAt), options.MayGenerateCode);

    private FieldPlan[] MakePlans(Type type, Type? stopAt = null)
    {
        bool hasContract = Contract.Of(type) is not null;
        return [.. FieldListBuilder.FieldsOf(type, stopAt).ConvertAll(field => MakePlan(field, hasContract))];
    }

    private FieldPlan MakePlan(StoredField field, bool hasContract)
    {
        if (field.Field is not { } info)
            return new FieldPlan(field.Name, 0, new NilSlot());
        Slot slot = hasContract ? models.Contracts.SlotFor(info.FieldType) : models.SlotFor(info.FieldType);
        return new FieldPlan(field.Name, FieldOffsets.Of(info), slot);
    }

    private static bool IsNamed(Type type) => Contract.Of(type) is { IsNamed: true };

    private bool MayUseFields(Type type, out string? reason)
    {
        reason = null;
        if (FrameworkTypes.IsStoredByFields(type))
            return true;
        if (!models.Types.IsAllowed(type))
            reason = Reason(type);
        else if (UnfitBase(type) is { } unfit)
            reason = $"Type {type} can't be stored: it derives from {unfit}, which has fields of its own.";
        return reason is null;
    }

    // A framework class without fields (Comparer<T>, EventArgs, Attribute) does no harm as a base.
    private Type? UnfitBase(Type type)
    {
        for (Type? level = type.BaseType; level is not null && level != typeof(object) && !IsContainer(level); level = level.BaseType)
        {
            if (!models.Types.IsAllowed(level) && level != typeof(ValueType) && !FrameworkTypes.IsStoredByFields(level)
                && level.GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly).Length > 0)
                return level;
        }
        return null;
    }

    private static string Reason(Type type) => StorableTypes.WhyNot(type) is not null
        ? StorableTypes.WhyRefused(type)
        : $"Type {type} can't be stored: it is neither of the application's own assemblies nor allowed by {nameof(PileCodecOptions)}, "
            + $"and there is no format for it. Call {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Allow)}, or mark the field [NonSerialized].";

    private static object Make(Type definition, Type[] arguments, params object[] parameters) =>
        Activator.CreateInstance(definition.MakeGenericType(arguments), parameters)!;
}
