/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page faults that make the pages around an address accessible, too. For arch/um/kernel/trap.c of lab kernels.
 *
 * When a program of a lab touches a page that it has not touched before, the host stops it and tells the lab kernel,
 * which has the host map the page and continues the program: several switches between processes of the host. Most
 * programs touch the next pages soon: daemons that allocate their tables, and Python, which reads its modules. So one
 * fault maps all pages of its block that the lab kernel has ready, and gets the next pages of a heap ready.
 */
#include <linux/version.h>

/* The size of a block, which is aligned to it. Linux prepares as much of a file at once by default. */
#define FAULT_BLOCK (16 * PAGE_SIZE)

/*
 * The page at this address was made ready; do so with the others of its block. A failure is no error: the page gets a
 * fault of its own later. All pages of a block have their entries in one page table, the one of the address.
 */
static void handle_block(struct vm_area_struct *vma, unsigned long address, bool is_write)
{
	unsigned long block = address & ~(FAULT_BLOCK - 1);
	unsigned long begin = max(block, vma->vm_start), end = min(block + FAULT_BLOCK, vma->vm_end);
	pte_t *first = pte_offset_kernel(pmd_off(vma->vm_mm, address), begin);
	unsigned long __maybe_unused at, run = 0;

	if (is_write && vma_is_anonymous(vma) && !(vma->vm_flags & VM_GROWSDOWN)) {
		for (at = (address & PAGE_MASK) + PAGE_SIZE; at < end; at += PAGE_SIZE) {
			if (!pte_none(first[(at - begin) / PAGE_SIZE]))
				break;
			if (handle_mm_fault(vma, at, FAULT_FLAG_WRITE, NULL) & VM_FAULT_ERROR)
				break;
		}
	}
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	/*
	 * Pages in a row are mapped together. Later kernels have the host map all pages that are ready by themselves.
	 */
	for (at = begin; at < end; at += PAGE_SIZE) {
		pte_t entry = first[(at - begin) / PAGE_SIZE];

		if (pte_present(entry) && (pte_newpage(entry) || pte_newprot(entry))) {
			run = run ?: at;
		} else if (run) {
			flush_tlb_range(vma, run, at);
			run = 0;
		}
	}
	if (run)
		flush_tlb_range(vma, run, at);
#endif
}
